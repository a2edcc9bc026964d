//! How this program was built: `.cargo/config.toml` has flags for the C compiler.

#[cfg(all(feature = "fbx", target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
mod tests {
    use crate::{seed, subject::Verdict, target};

    /// True if the program has `name` among its symbols.
    fn has_symbol(program: &[u8], name: [&str; 2]) -> bool {
        // Put together here, so that the program does not contain the name for this reason alone.
        let name = name.concat().into_bytes();
        program.windows(name.len()).any(|window| window == name)
    }

    #[test]
    fn ufbx_is_compiled_with_guards_for_stacks_and_copies() {
        // The reader must be part of the program.
        assert_eq!(target::fbx(&seed::fbx()[0]), Verdict::Accepted);
        let program = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        for name in [["__stack_chk", "_fail"], ["__memcpy", "_chk"]] {
            assert!(has_symbol(&program, name), "{} is missing: see .cargo/config.toml", name.concat());
        }
    }
}
