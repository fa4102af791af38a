//! Messages, packets and what is made of them.
