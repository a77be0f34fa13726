// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayWire

/// Asking for a remote configuration, as two pure functions.
package enum SensorsAnalyticsRemoteExchange {
    /// What an answer says.
    package enum Answer: Sendable, Hashable {
        /// There is a configuration.
        case received(SensorsAnalyticsRemoteConfiguration)
        /// The known one is the newest.
        case unchanged
        /// Nothing useful came back.
        case failed(reason: String)
    }

    /// The request for a configuration.
    ///
    /// - Parameters:
    ///   - serverURL: Where events go; the configuration lies beside it unless `place` says where.
    ///   - place: Where the configuration lies, when it is somewhere else.
    ///   - appID: Who asks.
    ///   - known: The configuration that is known already.
    /// - Returns: nil when the address is none.
    package static func request(
        serverURL: String,
        place: String? = nil,
        appID: String,
        known: SensorsAnalyticsRemoteConfiguration?
    ) -> WireRequest? {
        guard let server = SensorsAnalyticsAddress(serverURL) else { return nil }
        var base = server.configuration
        if let place {
            guard SensorsAnalyticsAddress(place) != nil else { return nil }
            base = place
        }
        let query = [
            ("v", known?.version ?? ""), ("nv", known?.newVersion ?? ""), ("app_id", appID),
        ].map { "\($0)=\(SensorsAnalyticsForm.escaped($1))" }
        // The project stands in the address as it has to be sent: escaped, if at all, by whoever wrote it.
        let all = (query + ["project=\(server.query("project") ?? "")"]).joined(separator: "&")
        return WireRequest(method: "GET", url: base + (base.contains("?") ? "&" : "?") + all)
    }

    /// Reads an answer. Only JSON with status 200 is a configuration; a page from something in between is none.
    package static func answer(in response: WireResponse, to request: WireRequest) -> Answer {
        if let answering = response.url.flatMap(HTTPAddress.init),
            answering.authority != HTTPAddress(request.url)?.authority
        {
            return .failed(reason: "Another host answered: \(answering.authority).")
        }
        switch response.status {
        case 304:
            return .unchanged
        case 200:
            do {
                return .received(try SensorsAnalyticsRemoteConfiguration(json: response.body))
            } catch {
                return .failed(reason: "The answer is no configuration: \(error)")
            }
        default:
            return .failed(reason: "Status \(response.status).")
        }
    }
}
