// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayDestinationKit

/// The request for a remote configuration, and the evaluation of its response.
///
/// Both functions are pure.
package enum SensorsAnalyticsRemoteExchange {
    /// The result of a request.
    package enum Answer: Sendable, Hashable {
        /// The response contains a configuration.
        case received(SensorsAnalyticsRemoteConfiguration)
        /// The known configuration is up to date.
        case unchanged
        /// The response is not usable.
        case failed(reason: String)
    }

    /// Returns the request for a configuration.
    ///
    /// - Parameters:
    ///   - serverURL: The address to which events are sent. The configuration's address is derived from it unless
    ///     `configurationURL` is set.
    ///   - configurationURL: The address of the configuration; nil for the derived one.
    ///   - appID: The app's id.
    ///   - known: The configuration that is already known.
    /// - Returns: nil if the address is invalid.
    package static func request(
        serverURL: String,
        configurationURL: String? = nil,
        appID: String,
        known: SensorsAnalyticsRemoteConfiguration?
    ) -> WireRequest? {
        guard let server = SensorsAnalyticsAddress(serverURL) else { return nil }
        var base = server.configuration
        if let configurationURL {
            guard SensorsAnalyticsAddress(configurationURL) != nil else { return nil }
            base = configurationURL
        }
        let query = [
            ("v", known?.version ?? ""), ("nv", known?.newVersion ?? ""), ("app_id", appID),
        ].map { "\($0)=\(SensorsAnalyticsForm.escaped($1))" }
        // The project is copied from the address unchanged: the address already contains it in escaped form.
        let all = (query + ["project=\(server.query("project") ?? "")"]).joined(separator: "&")
        return WireRequest(method: "GET", url: base + (base.contains("?") ? "&" : "?") + all)
    }

    /// Returns the result that a response contains.
    ///
    /// Only JSON with status 200 is a configuration; a web page from an intermediary is not.
    package static func answer(in response: WireResponse, to request: WireRequest) -> Answer {
        if let answering = response.url.flatMap(HTTPAddress.init),
            answering.authority != HTTPAddress(request.url)?.authority
        {
            return .failed(reason: "Another host responded: \(answering.authority).")
        }
        switch response.status {
        case 304:
            return .unchanged
        case 200:
            do {
                return .received(try SensorsAnalyticsRemoteConfiguration(json: response.body))
            } catch {
                return .failed(reason: "The response is not a configuration: \(error)")
            }
        default:
            return .failed(reason: "Status \(response.status).")
        }
    }
}
