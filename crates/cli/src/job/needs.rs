//! What the training of a preset needs beside the trainer, and what its viewers would like.

use std::ffi::OsString;
use std::net::{Ipv4Addr, SocketAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use lanista_game::parse_settings;
use lanista_train::{Plan, RunConfig};

use super::port::{self, Transport};
use crate::args::JobArgs;
use crate::attached;

/// Where the page and TensorBoard are if nobody else is there.
const PAGE_PORT: u16 = 5610;
const TENSORBOARD_PORT: u16 = 6006;
const TENSORBOARD: &str = if cfg!(windows) { "tensorboard.exe" } else { "tensorboard" };

/// Whom a service is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum For {
    /// Nothing can be trained without it.
    Training,
    /// Whoever looks on; training goes on without it.
    Viewers,
}

/// A program that runs beside the trainer.
#[derive(Clone, Debug)]
pub struct Service {
    pub name: String,
    /// Where it is found.
    pub address: String,
    /// The program and its arguments.
    pub command: Vec<OsString>,
    /// How the line of its log begins that says it is ready; one without is taken to be.
    pub ready: Option<&'static str>,
    pub whose: For,
}

/// Something that takes part and is not the job's to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Other {
    pub name: &'static str,
    pub address: String,
    pub why: &'static str,
}

/// Everything beside the trainer. Ports are chosen and nothing is started.
#[derive(Debug)]
pub struct Needs {
    servers: Vec<Server>,
    page: Option<u16>,
    tensorboard: Option<(PathBuf, u16)>,
    pub others: Vec<Other>,
}

/// A game server of this program.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Server {
    game: &'static str,
    listen: SocketAddr,
    arguments: Vec<OsString>,
}

impl Needs {
    /// Looks at the preset and at the machine.
    pub fn of(plan: &Plan, args: &JobArgs) -> anyhow::Result<Self> {
        let (mut servers, mut others) = (Vec::new(), Vec::new());
        for config in std::iter::once(&plan.config).chain(&plan.stages) {
            find_servers(config, &mut servers, &mut others)?;
        }
        if plan.config.game == "vgc" {
            let (name, why) = ("showdown", "started by the trainer");
            others.push(Other { name, address: "processes of node".into(), why });
        }
        let page = if args.no_page { None } else { Some(page_port(args.port)?) };
        let found = if args.no_tensorboard { None } else { in_path(TENSORBOARD) };
        let tensorboard = match found {
            Some(program) => Some((program, any_port(TENSORBOARD_PORT, page)?)),
            None => None,
        };
        if tensorboard.is_none() && !args.no_tensorboard {
            let (name, why) = ("tensorboard", "not installed: pip install tensorboard");
            others.push(Other { name, address: "-".into(), why });
        }
        Ok(Self { servers, page, tensorboard, others })
    }

    /// The programs to start for a run in this directory, in this order.
    pub fn services(&self, run: &Path) -> anyhow::Result<Vec<Service>> {
        let own = attached::own_path()?.into_os_string();
        let mut services = Vec::new();
        for (index, server) in self.servers.iter().enumerate() {
            let mut command: Vec<OsString> = vec![own.clone(), server.game.into(), "server".into()];
            command.extend(["--port".into(), server.listen.port().to_string().into()]);
            command.extend(["--listen".into(), server.listen.ip().to_string().into()]);
            command.extend(server.arguments.iter().cloned());
            let number = if index == 0 { String::new() } else { format!("-{}", index + 1) };
            services.push(Service {
                name: format!("{}-server{number}", server.game),
                address: server.listen.to_string(),
                command,
                ready: Some("listening on "),
                whose: For::Training,
            });
        }
        let http = |port: u16| format!("http://{}:{port}/", Ipv4Addr::LOCALHOST);
        if let Some(port) = self.page {
            let arguments: [OsString; 4] =
                ["watch".into(), run.into(), "--port".into(), port.to_string().into()];
            services.push(Service {
                name: "page".into(),
                address: http(port),
                command: std::iter::once(own).chain(arguments).collect(),
                ready: Some("http://"),
                whose: For::Viewers,
            });
        }
        if let Some((program, port)) = &self.tensorboard {
            let host = Ipv4Addr::LOCALHOST.to_string();
            let mut command: Vec<OsString> = vec![program.into(), "--logdir".into(), run.into()];
            command.extend(["--host".into(), host.into(), "--port".into()]);
            command.push(port.to_string().into());
            // What it says when it is ready differs between versions.
            let (name, address) = ("tensorboard".into(), http(*port));
            services.push(Service { name, address, command, ready: None, whose: For::Viewers });
        }
        Ok(services)
    }
}

/// The servers that a configuration plays on: those of this machine where nobody is yet are to be started.
fn find_servers(
    config: &RunConfig,
    servers: &mut Vec<Server>,
    others: &mut Vec<Other>,
) -> anyhow::Result<()> {
    let seed: [OsString; 2] = ["--seed".into(), config.run.seed.to_string().into()];
    let (game, transport, addresses, arguments) = match config.game.as_str() {
        "survivors" => {
            let settings: lanista_survivors::settings::Settings = parse_settings(&config.settings)?;
            let Some(live) = &settings.live else { return Ok(()) };
            let addresses = live.addresses().to_vec();
            ("survivors", Transport::Udp, addresses, survivors_arguments(config, &settings))
        }
        "nh" => {
            let settings: lanista_nh::settings::Settings = parse_settings(&config.settings)?;
            let Some(remote) = &settings.remote else { return Ok(()) };
            ("nh", Transport::Tcp, remote.addresses().to_vec(), Vec::new())
        }
        _ => return Ok(()),
    };
    for address in addresses {
        // A name that leads nowhere is the trainer's to complain of.
        let at = address.to_socket_addrs().ok().and_then(|mut all| all.next());
        let other = |why| Other { name: "game server", address: address.clone(), why };
        let told = match at {
            Some(at) if servers.iter().any(|server| server.listen == at) => continue,
            Some(at) if !at.ip().is_loopback() => other("on another machine"),
            Some(at) if !port::is_free(at, transport) => other("runs already, left alone"),
            Some(listen) => {
                let arguments = arguments.iter().chain(&seed).cloned().collect();
                servers.push(Server { game, listen, arguments });
                continue;
            }
            None => other("unknown name"),
        };
        if !others.contains(&told) {
            others.push(told);
        }
    }
    Ok(())
}

/// A server plays what the preset is about; the map is the client's to ask for, among those that it knows.
fn survivors_arguments(
    config: &RunConfig,
    settings: &lanista_survivors::settings::Settings,
) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = Vec::new();
    let mut flag = |name: &str, value: OsString| arguments.extend([name.into(), value]);
    for map in settings.map.names() {
        flag("--map", map.into());
    }
    let named = |value: serde_json::Value| value.as_str().map(OsString::from);
    let difficulty = settings.difficulty.0.first().map(serde_json::to_value);
    if let Some(name) = difficulty.and_then(Result::ok).and_then(named) {
        flag("--difficulty", name);
    }
    if let Some(name) = serde_json::to_value(settings.temperament).ok().and_then(named) {
        flag("--temperament", name);
    }
    flag("--survivors", settings.survivors.to_string().into());
    // Every match has a game of its own: those of training go on while others are evaluated. Twice as many, since a
    // game whose client went away without a word is free again only after a while.
    let matches = config.rollout.matches.saturating_add(config.evaluation.matches);
    let games = matches.saturating_mul(2).min(lanista_survivors::server::MOST_GAMES);
    flag("--games", games.to_string().into());
    if let Some(file) = &settings.live_key_file {
        flag("--key-file", file.into());
    }
    arguments
}

/// The page's port: the one that was asked for, or one that is free.
fn page_port(asked: Option<u16>) -> anyhow::Result<u16> {
    match asked {
        Some(port) if port > 0 => {
            if !port::is_free((Ipv4Addr::LOCALHOST, port).into(), Transport::Tcp) {
                bail!(
                    "--port {port}: another program listens there; name another port, or leave --port out for \
                     a free one"
                );
            }
            Ok(port)
        }
        Some(_) => any_port(0, None),
        None => any_port(PAGE_PORT, None),
    }
}

/// This port if it is free and not promised to another, else any.
fn any_port(usual: u16, promised: Option<u16>) -> anyhow::Result<u16> {
    let usual = if promised == Some(usual) { 0 } else { usual };
    port::usual_or_any(usual).context("there is no free port on loopback")
}

/// A program that a shell would find.
fn in_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|directory| directory.join(name)).find(|file| is_program(file))
}

#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    file.is_file()
}

#[cfg(test)]
mod tests {
    use std::net::UdpSocket;

    use serde_json::json;

    use super::*;

    fn found(game: &str, settings: serde_json::Value) -> (Vec<Server>, Vec<Other>) {
        let config = RunConfig { game: game.into(), settings, ..RunConfig::default() };
        let (mut servers, mut others) = (Vec::new(), Vec::new());
        find_servers(&config, &mut servers, &mut others).unwrap();
        find_servers(&config, &mut servers, &mut others).unwrap();
        (servers, others)
    }

    fn free_udp() -> SocketAddr {
        UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap()
    }

    #[test]
    fn a_server_is_started_where_nobody_is() {
        let at = free_udp();
        let settings = json!({
            "live": at.to_string(), "map": ["corridor", "street:7"], "difficulty": "expert", "survivors": 2,
        });
        let (servers, others) = found("survivors", settings);
        assert_eq!((servers.len(), others.len()), (1, 0), "a second stage has the same one");
        assert_eq!(servers[0].listen, at);
        let line: Vec<_> = servers[0].arguments.iter().map(|a| a.to_string_lossy()).collect();
        let line = line.join(" ");
        for part in
            ["--map corridor --map street:7", "--difficulty expert", "--survivors 2", "--seed 0"]
        {
            assert!(line.contains(part), "{line}");
        }
    }

    #[test]
    fn servers_of_others_are_left_alone() {
        let taken = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let here = taken.local_addr().unwrap().to_string();
        let (servers, others) = found("survivors", json!({"live": [here, "192.0.2.7:27050"]}));
        assert!(servers.is_empty());
        let whys: Vec<_> = others.iter().map(|other| other.why).collect();
        assert_eq!(whys, ["runs already, left alone", "on another machine"]);
    }

    #[test]
    fn simulated_games_need_no_server() {
        for game in ["survivors", "nh", "cartpole"] {
            let (servers, others) = found(game, json!({}));
            assert!(servers.is_empty() && others.is_empty(), "{game}");
        }
    }

    #[test]
    fn fights_on_this_machine_get_a_server() {
        let port = port::usual_or_any(0).unwrap();
        let (servers, _) = found("nh", json!({"remote": format!("127.0.0.1:{port}")}));
        assert_eq!(servers.len(), 1);
        let needs = Needs { servers, page: None, tensorboard: None, others: Vec::new() };
        let services = needs.services(Path::new("run")).unwrap();
        assert_eq!((services[0].name.as_str(), services[0].whose), ("nh-server", For::Training));
        assert!(services[0].command.iter().any(|word| word == "127.0.0.1"), "loopback alone");
    }

    #[test]
    fn a_port_that_was_asked_for_is_not_exchanged() {
        let taken = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = taken.local_addr().unwrap().port();
        assert!(page_port(Some(port)).unwrap_err().to_string().contains(&format!("--port {port}")));
        assert_ne!(page_port(Some(0)).unwrap(), 0);
        let one = any_port(0, None).unwrap();
        assert_ne!(any_port(one, Some(one)).unwrap(), one);
    }
}
