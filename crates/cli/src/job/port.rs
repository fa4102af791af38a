//! Ports of this machine: is one free, and which one is taken instead?

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, UdpSocket};

/// How a server is talked to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    Tcp,
    Udp,
}

/// Could somebody listen here? Nothing is sent: a server that is there is not disturbed.
pub fn is_free(address: SocketAddr, transport: Transport) -> bool {
    match transport {
        Transport::Tcp => TcpListener::bind(address).is_ok(),
        Transport::Udp => UdpSocket::bind(address).is_ok(),
    }
}

/// This port of TCP on loopback if it is free, else any other.
pub fn usual_or_any(usual: u16) -> io::Result<u16> {
    let at = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port));
    let listener = at(usual).or_else(|_| at(0))?;
    Ok(listener.local_addr()?.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_that_is_taken_is_passed_over() {
        let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = taken.local_addr().unwrap();
        assert!(!is_free(address, Transport::Tcp));
        assert!(is_free(address, Transport::Udp), "another transport is another port");
        let other = usual_or_any(address.port()).unwrap();
        assert!(other != address.port() && other != 0);
        let taken = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        assert!(!is_free(taken.local_addr().unwrap(), Transport::Udp));
    }
}
