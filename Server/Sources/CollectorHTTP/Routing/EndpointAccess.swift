// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Hummingbird

/// The access rule of an endpoint.
///
/// ``AccessPolicy`` checks it before the endpoint runs. Keys for sending are checked by the endpoint itself.
enum EndpointAccess: Sendable {
    /// A file of the page: everyone, but no page of another origin.
    case page
    /// Data that was not recorded, such as the collector's state: everyone.
    case open
    /// Recorded data: a key for reading.
    ///
    /// This machine may read without one if the operator allows that.
    case reading
    /// The data behind a secret link. The endpoint checks the secret.
    case link
    /// A change of the collector's data. The endpoint checks the key.
    case sending
    /// Clients whose account may replace a key.
    ///
    /// The account is the name of an app, a project or an application. The operator decides which ones need no key.
    ///
    /// - Parameters:
    ///   - changes: Whether the endpoint changes what the collector holds.
    ///   - bringsKey: Whether a request has a key, valid or not, in a place other than `Authorization`.
    case account(changes: Bool = true, bringsKey: @Sendable (Request) -> Bool = { _ in false })
    /// A change of a board or its links.
    ///
    /// - Parameter decidesWhoReads: Whether it decides who may read without a key.
    case boards(decidesWhoReads: Bool)
    /// A change of an alert, or a trial delivery.
    case alerts

    /// Whether the endpoint shows recorded data.
    var reads: Bool {
        switch self {
        case .reading: true
        case .page, .open, .link, .sending, .account, .boards, .alerts: false
        }
    }

    /// The use that pages of other origins make of it; nil if not allowed.
    var purpose: OriginPolicy.Purpose? {
        switch self {
        case .page: nil
        case .reading, .link, .boards, .alerts: .reading
        case .open, .sending, .account: .sending
        }
    }
}

/// Decides from a request's headers whether it may use an endpoint.
struct AccessPolicy: Sendable {
    let dependencies: CollectorDependencies
    let hosts: HostPolicy
    let origins: OriginPolicy

    /// Checks a request before its endpoint runs.
    ///
    /// - Throws: ``RequestFailure`` if the request may not use the endpoint.
    func admit(_ request: Request, to access: EndpointAccess) throws(RequestFailure) -> ReadAuthorization {
        let isOpen = dependencies.configuration.isOpenForSending
        var needsKey = false
        switch access {
        case .page, .open: break
        case .reading:
            needsKey = hosts.readingNeedsKey(request)
            if !needsKey { try origins.check(request, for: .reading) }
        case .link:
            if !hosts.readingNeedsKey(request) { try origins.check(request, for: .reading) }
        case .sending:
            // In open mode every key is valid, so a key proves nothing.
            if isOpen { try checkSender(request) }
        case .account(let changes, let bringsKey):
            if isOpen {
                if changes { try checkSender(request) }
            } else if request.headers[.authorization] == nil, !bringsKey(request) {
                try origins.check(request, for: .sending)
            }
        case .boards(let decidesWhoReads):
            try admitChange(ofBoards: request, decidesWhoReads: decidesWhoReads, isOpen: isOpen)
        case .alerts: try admitChange(ofAlerts: request, isOpen: isOpen)
        }
        return try ReadAuthorization(
            dependencies.authorization,
            header: request.headers[.authorization],
            needsKey: needsKey
        )
    }

    private func checkSender(_ request: Request) throws(RequestFailure) {
        try hosts.checkIsLocal(request)
        try origins.check(request, for: .sending)
    }

    /// Checks a change of a board or its links.
    ///
    /// Where this machine reads without a key, its own page and programs also change boards without one. Links always
    /// need an operator's key, because they decide who reads from elsewhere.
    private func admitChange(
        ofBoards request: Request,
        decidesWhoReads: Bool,
        isOpen: Bool
    ) throws(RequestFailure) {
        let needsKey = hosts.readingNeedsKey(request)
        if !needsKey { try origins.checkIsOwn(request) }
        if isOpen { try hosts.checkIsLocal(request) }
        if needsKey || decidesWhoReads {
            _ = try dependencies.operatorGrant(request, to: "change boards and their links")
        }
    }

    /// Checks a change of an alert.
    ///
    /// Alerts make the collector send requests, so a change always needs an operator's key.
    private func admitChange(ofAlerts request: Request, isOpen: Bool) throws(RequestFailure) {
        if isOpen {
            try origins.checkIsOwn(request)
            try hosts.checkIsLocal(request)
        }
        _ = try dependencies.operatorGrant(request, to: "change alerts")
    }
}
