// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

extension RecordRedactor {
    /// Creates a redactor that finds what an erasure of a person would remove, for an export.
    ///
    /// - Parameters:
    ///   - merged: The ids of the users who are merged into the person.
    ///   - installations: The person's installations.
    init(
        plan person: PersonKey,
        merged: [String] = [],
        _ installations: [PersonInstallation],
        limits: AdmissionLimits
    ) {
        // The hashes are compared with each other only, so any key serves.
        let key = ErasureKey(randomUInt64: { 0 })
        let none = Timestamp(milliseconds: 0)
        var plan: ErasurePlan
        switch person {
        case .user(let id):
            let record = UserErasureRecord(received: none, key: "", identity: key.hash(user: id), user: id)
            plan = ErasurePlan(record, user: id)
        case .visitor(let id):
            plan = ErasurePlan(DeletionRequest(ErasureRecord(received: none, key: "", installation: id)), key: key)
        }
        plan.installations = installations.filter { !$0.isShared }.map(\.id)
        plan.shared = installations.compactMap { installation in
            installation.times.map { ErasurePlan.SharedInstallation(installation.id, times: $0) }
        }
        let others = merged.map { id in
            let record = UserErasureRecord(received: none, key: "", identity: key.hash(user: id), user: id)
            return ErasurePlan(record, user: id)
        }
        self.init([plan] + others, key: key, limits: limits)
    }
}
