// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Hummingbird

/// The access rule of an endpoint.
///
/// ``AccessPolicy`` applies the rule before the endpoint runs. The endpoint itself checks keys for sending.
enum EndpointAccess: Sendable {
    /// A file of the page, available to everyone except pages of other origins.
    case page
    /// Data other than recorded data, such as the collector's state, available to everyone.
    case open
    /// Recorded data, which requires a key for reading.
    ///
    /// This machine may read without a key if the operator allows it.
    case reading
    /// The data behind a secret link.
    ///
    /// The endpoint checks the secret.
    case link
    /// A change to the collector's data.
    ///
    /// The endpoint checks the key.
    case sending
    /// A request from a client whose account can replace a key.
    ///
    /// The account is the name of an app, a project, or an application. The operator decides which accounts need no
    /// key.
    ///
    /// - Parameters:
    ///   - changes: Whether the endpoint changes the collector's data.
    ///   - hasKeyElsewhere: Whether a request has a key, valid or not, in a place other than `Authorization`.
    case account(changes: Bool = true, hasKeyElsewhere: @Sendable (Request) -> Bool = { _ in false })
    /// A change to a board, its links, or a cohort.
    ///
    /// - Parameter changesReadAccess: Whether the change affects who may read without a key.
    case boards(changesReadAccess: Bool)
    /// A change to an alert, or a test message.
    case alerts

    /// Whether the endpoint shows recorded data.
    var showsRecordedData: Bool {
        switch self {
        case .reading: true
        case .page, .open, .link, .sending, .account, .boards, .alerts: false
        }
    }

    /// The purpose for which pages of other origins may use the endpoint.
    ///
    /// Nil if those pages may not use the endpoint.
    var purpose: OriginPolicy.Purpose? {
        switch self {
        case .page: nil
        case .reading, .link, .boards, .alerts: .reading
        case .open, .sending, .account: .sending
        }
    }
}

/// Decides whether a request may use an endpoint, based on its headers.
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
            needsKey = hosts.requiresKeyForReading(request)
            if !needsKey { try origins.check(request, for: .reading) }
        case .link:
            if !hosts.requiresKeyForReading(request) { try origins.check(request, for: .reading) }
        case .sending:
            // In open mode every key is valid, so having a key proves nothing.
            if isOpen { try checkSender(request) }
        case .account(let changes, let hasKeyElsewhere):
            if isOpen {
                if changes { try checkSender(request) }
            } else if request.headers[.authorization] == nil, !hasKeyElsewhere(request) {
                try origins.check(request, for: .sending)
            }
        case .boards(let changesReadAccess):
            try admitChange(ofBoards: request, changesReadAccess: changesReadAccess, isOpen: isOpen)
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

    /// Checks a request that changes a board or its links.
    ///
    /// If this machine may read without a key, the collector's own page and local programs may also change boards
    /// without one. Changing links always requires an operator's key, because links let other machines read.
    private func admitChange(
        ofBoards request: Request,
        changesReadAccess: Bool,
        isOpen: Bool
    ) throws(RequestFailure) {
        let needsKey = hosts.requiresKeyForReading(request)
        if !needsKey { try origins.checkIsOwn(request) }
        if isOpen { try hosts.checkIsLocal(request) }
        if needsKey || changesReadAccess {
            _ = try dependencies.operatorGrant(request, to: "change boards, their links, and cohorts")
        }
    }

    /// Checks a request that changes an alert.
    ///
    /// Alerts make the collector send requests, so changing them always requires an operator's key.
    private func admitChange(ofAlerts request: Request, isOpen: Bool) throws(RequestFailure) {
        if isOpen {
            try origins.checkIsOwn(request)
            try hosts.checkIsLocal(request)
        }
        _ = try dependencies.operatorGrant(request, to: "change alerts")
    }
}
