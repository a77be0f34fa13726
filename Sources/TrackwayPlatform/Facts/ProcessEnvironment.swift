// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(Darwin)
internal import Foundation
#else
internal import CTrackway
#endif

/// The process's environment, read at the edge and handed on as a value.
package enum ProcessEnvironment {
    /// All variables; of a name that is there twice, the first. O(n) in their number.
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
