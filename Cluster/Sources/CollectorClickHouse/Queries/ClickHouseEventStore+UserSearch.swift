// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
internal import TrackwayCore

extension ClickHouseEventStore {
    package func search(_ search: UserSearch) async throws(StoreError) -> UserSearchResult {
        try PeopleSupport.check([QueryFilter(conditions: search.conditions)])
        let block = try await completed()
        let total = try await personCount(block)
        var match = UserMatch(search, SearchMeter(budget, clock: clock))
        var answer = UserSearchResult(users: [], searched: 0, total: total, next: nil)
        var bytes = 0
        var query = search.query
        while true {
            let keys = try await people(query, limit: Self.peoplePerBatch, block)
            for person in try await known(keys, block) {
                answer.searched += 1
                if try matches(person, &match) {
                    let user = person.user(search.query.includesAttributes ? AttributePage() : nil)
                    answer.users.append(user)
                    bytes += user.responseBytes
                }
                let isFull = bytes >= ResponseBudget.bytes || answer.users.count >= search.query.limit
                query.after = person.cursor
                if match.isOver() || isFull {
                    answer.next = person.cursor
                    return answer
                }
            }
            if keys.count < Self.peoplePerBatch { return answer }
        }
    }

    private func matches(_ person: KnownPerson, _ match: inout UserMatch) throws(StoreError) -> Bool {
        do {
            return try match.matches(person)
        } catch {
            // Unreachable, because the data is in memory.
            throw .analysis("\(error)")
        }
    }
}

extension KnownPerson: SearchedPerson {
    func ids() -> [String?] {
        let traits = [traits] + merged.map(\.traits) + visits.compactMap(\.traits)
        let known = traits.flatMap { [$0.uniqueID, $0.anonymousID] }
        switch key {
        case .user(let id): return [id] + merged.map(\.id) + known
        case .visitor(let id): return known + [id.description]
        }
    }

    func value(of attribute: String) -> [UInt8]? { self.attribute(attribute)?.value }

    func forEachValue(_ body: (UnsafeRawBufferPointer) -> Bool) {
        for attribute in attributes where attribute.value.withUnsafeBytes(body) { return }
    }

    func hasUsed(_ installation: InstallationID) -> Bool { activity.contains { $0.installation == installation } }
}
