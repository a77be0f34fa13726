// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import CollectorCore
internal import TrackwayCore
public import TrackwayDestinationKit

/// The dependencies for sending alert notifications.
public struct AlertNotificationDependencies: Sendable {
    /// The store of alerts.
    public var store: AlertStore
    /// The transport that sends requests.
    public var transport: any Transport
    /// Returns the IP addresses of a host name; empty if unknown.
    ///
    /// Called before each request to a host name.
    public var resolve: @Sendable (String) async -> [IPAddress]
    /// The public URL of the page.
    ///
    /// Nil if the page's URL is the collector's own address.
    public var page: String?

    /// Creates the dependencies.
    ///
    /// - Parameters:
    ///   - store: The store of alerts.
    ///   - transport: The transport that sends requests.
    ///   - resolve: Returns the IP addresses of a host name.
    ///   - page: The public URL of the page; nil if it is the collector's own address.
    public init(
        store: AlertStore,
        transport: any Transport,
        resolve: @escaping @Sendable (String) async -> [IPAddress],
        page: String? = nil
    ) {
        self.store = store
        self.transport = transport
        self.resolve = resolve
        self.page = page
    }
}

/// Sends a signed message about an alert, if its URL is allowed.
struct WebhookSender: Sendable {
    let transport: any Transport
    let resolve: @Sendable (String) async -> [IPAddress]
    let policy: WebhookPolicy
    let clock: any EventClock
    /// The maximum time to wait for a receiver's response.
    ///
    /// Standard Webhooks recommends this value.
    private static let timeout = Duration.seconds(20)

    /// Sends a message.
    ///
    /// Redirects are not followed, and only the status and `retry-after` of the response are read.
    ///
    /// - Returns: The result and the duration of the request.
    func send(_ job: WebhookDelivery) async -> (result: AlertResult, duration: Duration) {
        let began = clock.now()
        let result = await attempt(job, seconds: began.wall.milliseconds / 1_000)
        return (result, began.monotonic.duration(to: clock.now().monotonic))
    }

    private func attempt(_ job: WebhookDelivery, seconds: Int64) async -> AlertResult {
        do throws(SavedError) {
            if case .name(let name) = try policy.check(job.address) {
                let addresses = await resolve(name)
                guard !addresses.isEmpty else { return .failed("The name \(name.prefix(128)) is unknown.") }
                guard addresses.allSatisfy(\.isPublic) else {
                    return .refused(
                        """
                        The name \(name.prefix(128)) resolves to an address that is not on the public internet; \
                        allow it with --alert-url-prefix.
                        """
                    )
                }
            }
        } catch {
            return .refused(error.message)
        }
        let signature = WebhookSignature.header(id: job.id, seconds: seconds, body: job.body, secrets: job.secrets)
        let request = WireRequest(
            url: job.address,
            headers: [
                "content-type": "application/json", "webhook-id": job.id, "webhook-timestamp": String(seconds),
                "webhook-signature": signature,
            ],
            body: job.body
        )
        do throws(TransportError) {
            let response = try await transport.send(request, timeout: Self.timeout)
            let retryAfter = response.headers["retry-after"].flatMap { Int64($0) }.map { Duration.seconds(max(0, $0)) }
            return .answered(status: response.status, retryAfter: retryAfter)
        } catch {
            return .failed(error.description)
        }
    }
}
