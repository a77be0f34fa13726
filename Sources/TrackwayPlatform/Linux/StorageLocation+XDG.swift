// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

extension StorageLocation {
    /// Returns an app's folder as defined by the XDG base directory specification.
    ///
    /// The folder is `$XDG_STATE_HOME/trackway/<app>`, by default `~/.local/state/trackway/<app>`. It is a state
    /// folder, not a data folder: its contents must survive restarts, but have no meaning on another machine. As the
    /// specification requires, a relative path in a variable is ignored.
    ///
    /// - Parameters:
    ///   - appID: The app's id, which `StorageName` converts to a safe name.
    ///   - environment: The process's environment.
    ///   - accountHome: Returns the home folder from the user's account; called if the environment has none.
    /// - Throws: `StorageLocationError` if the id is empty or no home folder is known.
    package static func standard(
        appID: String,
        environment: [String: String],
        accountHome: () -> String? = StorageLocation.accountHome
    ) throws(StorageLocationError) -> StorageLocation {
        try standard(appID: appID, variable: { environment[$0] }, accountHome: accountHome)
    }

    /// Returns an app's folder, reading environment variables through a closure.
    package static func standard(
        appID: String,
        variable: (String) -> String? = { ProcessEnvironment.value(of: $0) },
        accountHome: () -> String? = StorageLocation.accountHome
    ) throws(StorageLocationError) -> StorageLocation {
        guard let name = StorageName.make(appID: appID) else { throw StorageLocationError(.noAppID) }
        func folder(_ path: String?) -> String? {
            guard let path, path.first == "/" else { return nil }
            return path
        }
        if let state = folder(variable("XDG_STATE_HOME")) {
            return try StorageLocation(path: "\(state)/trackway/\(name)")
        }
        guard let home = folder(variable("HOME")) ?? folder(accountHome()) else {
            throw StorageLocationError(.noHome)
        }
        return try StorageLocation(path: "\(home)/.local/state/trackway/\(name)")
    }

    /// Returns the home folder from the user database.
    package static func accountHome() -> String? {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16_384)
        return buffer.withUnsafeMutableBufferPointer { text in
            guard let start = text.baseAddress, getpwuid_r(getuid(), &entry, start, text.count, &found) == 0,
                found != nil, let home = entry.pw_dir
            else { return nil }
            return String(cString: home)
        }
    }
}
#endif
