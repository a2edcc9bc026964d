//! What is made offline, held to the figures that the methods should reach and to slow, plain formulations.

mod quality;
