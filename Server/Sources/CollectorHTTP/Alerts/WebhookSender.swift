// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Collector
internal import TrackwayEvents
public import TrackwayWire

/// What telling about alerts takes from outside.
public struct AlertTelling: Sendable {
    /// The alerts.
    public var store: AlertStore
    /// Carries requests.
    public var transport: any Transport
    /// The addresses behind a name; none where it is unknown. Asked before each request that goes to a name.
    public var resolve: @Sendable (String) async -> [IPAddress]
    /// Under which address people reach the page; nil for the one that the collector listens on.
    public var page: String?

    /// - Parameters:
    ///   - store: The alerts.
    ///   - transport: Carries requests.
    ///   - resolve: The addresses behind a name.
    ///   - page: Under which address people reach the page; nil for the one that the collector listens on.
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

/// Sends one message about an alert, signed, to where it may go.
struct WebhookSender: Sendable {
    let transport: any Transport
    let resolve: @Sendable (String) async -> [IPAddress]
    let policy: WebhookPolicy
    let clock: any EventClock
    /// How long a receiver may take, as Standard Webhooks recommends.
    private static let timeout = Duration.seconds(20)

    /// Sends it.
    ///
    /// Redirects are not followed, and what the answer says is not looked at beyond its status and `retry-after`.
    ///
    /// - Returns: What came of it, and how long it took.
    func send(_ job: AlertSending) async -> (result: AlertResult, took: Duration) {
        let began = clock.now()
        let result = await attempt(job, seconds: began.wall.milliseconds / 1_000)
        return (result, began.monotonic.duration(to: clock.now().monotonic))
    }

    private func attempt(_ job: AlertSending, seconds: Int64) async -> AlertResult {
        do throws(SavedError) {
            if case .name(let name) = try policy.check(job.address) {
                let addresses = await resolve(name)
                guard !addresses.isEmpty else { return .failed("The name \(name.prefix(128)) is unknown.") }
                guard addresses.allSatisfy(\.isPublic) else {
                    return .refused(
                        "The name \(name.prefix(128)) leads to an address that is not of the public internet; allow it with --alert-url-prefix."
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
