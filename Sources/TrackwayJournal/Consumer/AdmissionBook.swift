// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// What a rule says of the contexts of one writer, each asked about once.
struct AdmissionBook {
    private let rule: Admission.Rule?
    private var known: [UInt32: Admission] = [:]
    /// Neighbouring events nearly always share their context.
    private var latest: (context: UInt32, admission: Admission)?

    init(_ rule: Admission.Rule?) {
        self.rule = rule
    }

    /// - Parameter json: the context's record; nil when it was damaged.
    mutating func admission(of context: UInt32, json: [UInt8]?) -> Admission {
        if let latest, latest.context == context { return latest.admission }
        let admission = known[context] ?? rule?(json ?? Array("{}".utf8)) ?? .send
        known[context] = admission
        latest = (context, admission)
        return admission
    }
}
