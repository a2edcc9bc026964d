//! `xtask-bindings IN.wasm FOLDER`: what `wasm-bindgen --target web` would make, without a tool to install.
#![forbid(unsafe_code)]

use std::process::ExitCode;
use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [input, folder] = &arguments[..] else {
        eprintln!("usage: xtask-bindings IN.wasm FOLDER");
        return ExitCode::from(2);
    };
    let mut bindgen = Bindgen::new();
    let made = bindgen.input_path(input).typescript(false).web(true).and_then(|b| b.generate(folder));
    match made {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask-bindings: {error:#}");
            ExitCode::FAILURE
        }
    }
}
