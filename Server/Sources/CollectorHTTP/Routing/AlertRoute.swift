// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import HTTPTypes

/// What a path below `/v1/alerts` and a method mean.
enum AlertRoute: Sendable, Hashable {
    /// All alerts.
    case list
    /// Makes an alert.
    case add
    /// An alert, and where it stands.
    case alert(id: String)
    /// Changes what was decided about an alert.
    case replace(id: String)
    /// Removes an alert.
    case remove(id: String)
    /// Tells something for a trial.
    case test(id: String)
    /// Replaces an alert's secret.
    case rotate(id: String)
    /// The latest attempts to tell.
    case deliveries(id: String)

    /// Whether it changes an alert, or has the collector send something.
    var changes: Bool {
        switch self {
        case .add, .replace, .remove, .test, .rotate: true
        case .list, .alert, .deliveries: false
        }
    }

    /// What can be done with a path, by method; nil for other paths.
    static func routes(of path: String) -> [HTTPRequest.Method: AlertRoute]? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
        guard parts.count >= 2, parts[0] == "v1", parts[1] == "alerts", !parts.contains("") else { return nil }
        switch parts.count {
        case 2: return [.get: .list, .post: .add]
        case 3: return [.get: .alert(id: parts[2]), .put: .replace(id: parts[2]), .delete: .remove(id: parts[2])]
        case 4 where parts[3] == "test": return [.post: .test(id: parts[2])]
        case 4 where parts[3] == "rotate": return [.post: .rotate(id: parts[2])]
        case 4 where parts[3] == "deliveries": return [.get: .deliveries(id: parts[2])]
        default: return nil
        }
    }
}
