// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

extension StorageLocation {
    /// The folder for an app by the rules of the XDG base directories: `$XDG_STATE_HOME/trackway/<app>`, by default
    /// `~/.local/state/trackway/<app>`.
    ///
    /// State, not data: what lies here matters across restarts, but not on another machine. As the rules demand, a
    /// relative path in a variable is ignored.
    ///
    /// - Parameters:
    ///   - appID: The app's id; turned into a safe name by `StorageName`.
    ///   - environment: The process's environment.
    ///   - accountHome: The home folder from the user's account, asked when the environment has none.
    /// - Throws: `StorageLocationError` when the id is empty or no home folder is known.
    package static func standard(
        appID: String,
        environment: [String: String],
        accountHome: () -> String? = StorageLocation.accountHome
    ) throws(StorageLocationError) -> StorageLocation {
        try standard(appID: appID, variable: { environment[$0] }, accountHome: accountHome)
    }

    /// The same, of variables whose values are asked for by their names.
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

    /// The home folder in the user database.
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
