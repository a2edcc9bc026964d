//! `sinew-studio [FILE]`: the window; in WebAssembly, the page.
#![forbid(unsafe_code)]

#[cfg(target_arch = "wasm32")]
mod page;
#[cfg(not(target_arch = "wasm32"))]
mod window;

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    window::main()
}

#[cfg(target_arch = "wasm32")]
fn main() {
    page::main();
}
