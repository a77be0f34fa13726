// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

extension DeviceProperties.Key where Value == Bool {
    /// True when the device is a simulated one.
    public static var isSimulator: Self { Self("is_simulator") }

    /// True when the processor is a 64-bit one.
    public static var isCPU64Bit: Self { Self("cpu_64bit_capable") }

    /// True when the processor has a floating-point unit.
    public static var hasFloatingPoint: Self { Self("cpu_has_fp") }
}

extension DeviceProperties.Key where Value == [String] {
    /// Files found that a device as it was sold does not have.
    public static var evidenceFiles: Self { Self("evidence_files_present") }

    /// Folders of the system found to be links.
    public static var evidenceSymlinkedFolders: Self { Self("evidence_directories_symlinked") }

    /// Folders of the system found to be writable for anybody.
    public static var evidenceWritableFolders: Self { Self("evidence_directories_writable") }

    /// Libraries loaded that change apps.
    public static var evidenceLibraries: Self { Self("evidence_dylds_present") }

    /// URL schemes that apps of changed devices open.
    public static var evidenceURLSchemes: Self { Self("evidence_url_schemes_openable") }

    /// System calls that ought to fail and did not.
    public static var evidenceSystemCalls: Self { Self("evidence_syscalls_succeeded") }
}
