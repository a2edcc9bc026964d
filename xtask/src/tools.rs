//! Programs that the tests call, installed where they are missing.

use crate::{
    Outcome,
    shell::{command, output, root, run, works},
};
use std::fs;

/// Version of the Khronos validator, pinned so that its new rules cannot fail an old commit.
const VALIDATOR: &str = "2.0.0-dev.3.10";

/// Debian packages, and what the tests need them for.
struct Packages {
    names: &'static str,
    /// What to say where they cannot be installed from here.
    needed_for: &'static str,
    elsewhere: &'static str,
    is_missing: fn() -> bool,
}

const PACKAGES: [Packages; 2] = [
    Packages {
        names: "nodejs npm",
        needed_for: "the tests of written files",
        elsewhere: "Node.js 18 or newer with npm",
        is_missing: || ["node", "npm"].iter().any(|tool| !works(&format!("{tool} --version"))),
    },
    Packages {
        names: "mesa-vulkan-drivers libvulkan1",
        needed_for: "the GPU tests; a software renderer is enough",
        elsewhere: "a Vulkan driver",
        is_missing: lacks_vulkan,
    },
];

const BROWSER: Packages = Packages {
    names: "chromium",
    needed_for: "the tests of the studio's page",
    elsewhere: "Chromium as /usr/bin/chromium, or another that the variable CHROMIUM names",
    is_missing: || std::env::var_os("CHROMIUM").is_none() && !works("chromium --version"),
};

const SCREEN: Packages = Packages {
    names: "xvfb xauth xdotool imagemagick",
    needed_for: "the tests of the studio's window",
    elsewhere: "Xvfb, xdotool and ImageMagick",
    is_missing: || {
        ["which xvfb-run", "which xauth", "xdotool --version", "import -version"].iter().any(|t| !works(t))
    },
};

const COMPILER: Packages = Packages {
    names: "clang",
    needed_for: "reading .fbx in the studio's page",
    elsewhere: "Clang with the WebAssembly target",
    is_missing: || !output(&mut command("clang --print-targets")).is_ok_and(|list| list.contains("wasm32")),
};

/// Installs a C compiler for WebAssembly if there is none.
pub(crate) fn install_compiler() -> Outcome {
    if (COMPILER.is_missing)() { COMPILER.install() } else { Ok(()) }
}

/// Installs a browser if there is none.
pub(crate) fn install_browser() -> Outcome {
    if (BROWSER.is_missing)() { BROWSER.install() } else { Ok(()) }
}

/// Installs Xvfb and the tools that press keys and take screenshots there.
pub(crate) fn install_screen() -> Outcome {
    if (SCREEN.is_missing)() { SCREEN.install() } else { Ok(()) }
}

/// Installs Node.js, npm, a Vulkan driver and the Khronos validator where they are missing.
pub(crate) fn install() -> Outcome {
    for packages in PACKAGES.iter().filter(|p| (p.is_missing)()) {
        packages.install()?;
    }
    install_validator()
}

/// True on Linux without a Vulkan loader or without any driver; other systems have their own.
fn lacks_vulkan() -> bool {
    let folders = ["/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d"];
    let has_driver = folders.iter().any(|f| fs::read_dir(f).is_ok_and(|mut files| files.next().is_some()));
    let has_loader = output(&mut command("ldconfig -p")).is_ok_and(|list| list.contains("libvulkan.so.1"));
    cfg!(target_os = "linux") && !(has_driver && has_loader)
}

impl Packages {
    fn install(&self) -> Outcome {
        let install =
            format!("apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=120 {}", self.names);
        let is_root = output(&mut command("id -u")).is_ok_and(|id| id.trim() == "0");
        if !is_root || !works("apt-get --version") {
            return Err(format!(
                "{} not found, needed for {}; install {}, on Debian with `sudo apt-get update && sudo {install}`",
                self.names, self.needed_for, self.elsewhere
            ));
        }
        println!("{} not found: installing from Debian", self.names);
        let apt = || {
            let quiet = |line: &str| run(command(line).env("DEBIAN_FRONTEND", "noninteractive"));
            quiet("apt-get update")?;
            quiet(&install)
        };
        // Mirrors sometimes time out.
        apt().or_else(|reason| {
            println!("{reason}; trying once more");
            apt()
        })
    }
}

/// Puts the validator into `target/validator`, where the tests look for it.
fn install_validator() -> Outcome {
    let folder = root().join("target/validator");
    let installed = fs::read_to_string(folder.join("node_modules/gltf-validator/package.json"));
    if installed.is_ok_and(|text| version_of(&text).as_deref() == Some(VALIDATOR)) {
        println!("gltf-validator {VALIDATOR} is installed");
        return Ok(());
    }
    let package = format!(
        "{{\n  \"name\": \"validator\",\n  \"private\": true,\n  \"dependencies\": {{ \"gltf-validator\": \"{VALIDATOR}\" }}\n}}\n"
    );
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    fs::write(folder.join("package.json"), package).map_err(|e| format!("package.json: {e}"))?;
    let install = || run(command("npm install --no-audit --no-fund --loglevel=error").current_dir(&folder));
    install().or_else(|reason| {
        println!("{reason}; trying once more");
        install()
    })
}

fn version_of(package: &str) -> Option<String> {
    let value: serde_json::Value = serde_json::from_str(package).ok()?;
    value["version"].as_str().map(str::to_owned)
}
