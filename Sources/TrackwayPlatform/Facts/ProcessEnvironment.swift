// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(Darwin)
internal import Foundation
#else
internal import CTrackway
#endif

/// Access to the process's environment variables.
///
/// Callers read the variables once and pass them on as values.
package enum ProcessEnvironment {
    /// Returns a variable's value, or nil if it is not set.
    package static func value(of name: String) -> String? {
        #if canImport(Darwin)
        ProcessInfo.processInfo.environment[name]
        #else
        ctrackway_environment(name).map { String(cString: $0) }
        #endif
    }

    /// Returns the values of those variables that are set.
    ///
    /// The result is a list of pairs, because the first dictionary of strings in a process costs 0.2 ms.
    package static func values(of names: [String]) -> [(name: String, value: String)] {
        names.compactMap { name in value(of: name).map { (name, $0) } }
    }

    /// Returns all variables.
    ///
    /// If a name occurs twice, its first value is used. The call is O(n) in the number of variables.
    package static func current() -> [String: String] {
        #if canImport(Darwin)
        ProcessInfo.processInfo.environment
        #else
        var variables: [String: String] = [:]
        withUnsafeMutablePointer(to: &variables) { variables in
            ctrackway_list_environment(variables) { variables, entry in
                guard let entry, let variables = variables?.assumingMemoryBound(to: [String: String].self) else {
                    return
                }
                let text = String(cString: entry)
                guard let equals = text.firstIndex(of: "=") else { return }
                let name = String(text[..<equals])
                if variables.pointee[name] == nil {
                    variables.pointee[name] = String(text[text.index(after: equals)...])
                }
            }
        }
        return variables
        #endif
    }
}
