// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Collector
internal import TrackwayEvents
public import TrackwayWire

/// The dependencies of alert notifications.
public struct AlertNotificationDependencies: Sendable {
    /// The alerts.
    public var store: AlertStore
    /// Sends requests.
    public var transport: any Transport
    /// Returns the addresses of a name; empty if it is unknown.
    ///
    /// Called before each request to a name.
    public var resolve: @Sendable (String) async -> [IPAddress]
    /// The URL at which people reach the page.
    ///
    /// Nil for the collector's own address.
    public var page: String?

    /// Creates the dependencies.
    ///
    /// - Parameters:
    ///   - store: The alerts.
    ///   - transport: Sends requests.
    ///   - resolve: Returns the addresses of a name.
    ///   - page: The URL at which people reach the page; nil for the collector's own address.
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
    /// The maximum time for a receiver's response, as Standard Webhooks recommends.
    private static let timeout = Duration.seconds(20)

    /// Sends a message.
    ///
    /// Redirects are not followed, and only the status and `retry-after` of the response are read.
    ///
    /// - Returns: The result, and how long the request took.
    func send(_ job: WebhookDelivery) async -> (result: AlertResult, took: Duration) {
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
            let answer = try await transport.send(request, timeout: Self.timeout)
            let asked = answer.headers["retry-after"].flatMap { Int64($0) }.map { Duration.seconds(max(0, $0)) }
            return .answered(status: answer.status, asked: asked)
        } catch {
            return .failed(error.description)
        }
    }
}
