//! How much memory the machine has left.
//!
//! Linux says so: `MemAvailable` is what can be had without swapping. A container may have less: the
//! limits of its control groups, of either version, and a limit of the address space count as well.
//! Other systems are not asked, because that takes calls into the system or a crate for it: there
//! [`ASSUMED`] counts, which stops what can only be a mistake. The environment variable
//! [`VARIABLE`] overrides all of it.

use std::fs;
use std::path::{Path, PathBuf};

/// The environment variable that says how many GiB may be used, whatever the machine says.
pub const VARIABLE: &str = "LANISTA_MEMORY_GIB";

/// What is assumed of a machine that does not say.
pub const ASSUMED: u64 = 64 << 30;

/// Bytes that can be had now.
pub fn available() -> u64 {
    let said = std::env::var(VARIABLE).ok();
    if let Some(bytes) = said.and_then(|text| gibibytes(&text)) {
        return bytes;
    }
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let machine = kibibytes(&read("/proc/meminfo"), "MemAvailable:");
    let own = address_space(&read("/proc/self/limits"), &read("/proc/self/status"));
    let groups = control_groups(&read("/proc/self/cgroup"), Path::new("/sys/fs/cgroup"));
    [machine, own, groups].into_iter().flatten().min().unwrap_or(ASSUMED)
}

/// A positive number of GiB in bytes.
fn gibibytes(text: &str) -> Option<u64> {
    let number: f64 = text.trim().parse().ok()?;
    (number > 0.0 && number.is_finite()).then(|| (number * f64::from(1 << 30)) as u64)
}

/// The number behind a name in a file such as `/proc/meminfo`, in bytes.
fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let number: u64 = line.split_whitespace().next()?.parse().ok()?;
    number.checked_mul(1024)
}

/// What a limit of the address space (`ulimit -v`) leaves.
fn address_space(limits: &str, status: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let most: u64 = line.split_whitespace().next()?.parse().ok()?; // not if it is "unlimited"
    Some(most.saturating_sub(kibibytes(status, "VmSize:").unwrap_or(0)))
}

/// What the tightest control group leaves: the process's own, or one around it.
fn control_groups(own: &str, root: &Path) -> Option<u64> {
    let mut least = None;
    for line in own.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else { continue };
        let (root, most, used) = match controllers {
            "" => (root.to_owned(), "memory.max", "memory.current"),
            c if c.split(',').any(|c| c == "memory") => {
                (root.join("memory"), "memory.limit_in_bytes", "memory.usage_in_bytes")
            }
            _ => continue,
        };
        // Inside a container the path may lead nowhere, and the root be the container's own group.
        let mut group: PathBuf = root.join(path.trim_start_matches('/'));
        while group.starts_with(&root) {
            let number = |name: &str| -> Option<u64> {
                fs::read_to_string(group.join(name)).ok()?.trim().parse().ok()
            };
            if let (Some(most), Some(used)) = (number(most), number(used)) {
                let left = most.saturating_sub(used.saturating_sub(reclaimable(&group)));
                least = Some(least.map_or(left, |least: u64| least.min(left)));
            }
            if !group.pop() {
                break;
            }
        }
    }
    least
}

/// Cached files count as used by a group and are given up when memory is wanted.
fn reclaimable(group: &Path) -> u64 {
    let stat = fs::read_to_string(group.join("memory.stat")).unwrap_or_default();
    let number = |name: &str| {
        let line = stat.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().parse::<u64>().ok()
    };
    number("inactive_file ").or(number("total_inactive_file ")).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_system_are_read() {
        let meminfo = "MemTotal:       24681620 kB\nMemAvailable:   23780000 kB\n";
        assert_eq!(kibibytes(meminfo, "MemAvailable:"), Some(23_780_000 * 1024));
        assert_eq!(kibibytes("MemAvailable: many kB\n", "MemAvailable:"), None);
        assert_eq!(kibibytes("", "MemAvailable:"), None);
        assert_eq!(kibibytes("MemAvailable: 18446744073709551615 kB", "MemAvailable:"), None);
        let limits = "Max address space         512000000            unlimited            bytes\n";
        assert_eq!(address_space(limits, "VmSize:\t  1000 kB\n"), Some(512_000_000 - 1_024_000));
        let none = "Max address space         unlimited            unlimited            bytes\n";
        assert_eq!(address_space(none, "VmSize:\t  1000 kB\n"), None);
    }

    #[test]
    fn the_variable_is_a_positive_number() {
        assert_eq!(gibibytes("2"), Some(2 << 30));
        assert_eq!(gibibytes(" 0.5 "), Some(1 << 29));
        for text in ["", "much", "-1", "0", "nan", "inf"] {
            assert_eq!(gibibytes(text), None, "{text}");
        }
    }

    #[test]
    fn the_tightest_group_counts() {
        let root = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("outer/memory.max", "5000\n");
        write("outer/memory.current", "1000\n");
        write("outer/inner/memory.max", "max\n");
        write("outer/inner/memory.current", "900\n");
        assert_eq!(control_groups("0::/outer/inner\n", root.path()), Some(4000));
        write("outer/inner/memory.max", "2000\n");
        write("outer/inner/memory.stat", "anon 500\ninactive_file 300\n");
        assert_eq!(control_groups("0::/outer/inner\n", root.path()), Some(1400));
        assert_eq!(control_groups("0::/elsewhere\n", root.path()), None);
        assert_eq!(control_groups("nonsense", root.path()), None);
        write("memory/box/memory.limit_in_bytes", "700\n");
        write("memory/box/memory.usage_in_bytes", "100\n");
        let old = "5:cpu:/box\n4:memory:/box\n";
        assert_eq!(control_groups(old, root.path()), Some(600));
    }

    #[test]
    fn a_machine_has_some_memory() {
        assert!(available() > 1 << 20);
    }
}
