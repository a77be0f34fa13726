// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// A set of people, defined by their values and their events.
///
/// A cohort is a definition, not a list: each query evaluates it again. Its time ranges are those of one query.
public struct Cohort: Sendable, Hashable {
    /// A condition on the number of a person's events.
    public struct Behavior: Sendable, Hashable {
        /// The filter for the events.
        public var filter: QueryFilter
        /// The minimum number of matching events.
        public var times: Int
        /// Whether a person must have fewer than ``times`` matching events.
        public var isNegated: Bool
        /// The start of the events' time range, inclusive; nil for none.
        public var from: Timestamp?
        /// The end of the events' time range, exclusive; nil for none.
        public var to: Timestamp?

        /// Creates a condition on a person's events.
        public init(
            _ filter: QueryFilter,
            times: Int = 1,
            isNegated: Bool = false,
            from: Timestamp? = nil,
            to: Timestamp? = nil
        ) {
            self.filter = filter
            self.times = times
            self.isNegated = isNegated
            self.from = from
            self.to = to
        }
    }

    /// The conditions on values of people (``QueryField/person(_:)``); all must hold.
    public var conditions: [QueryCondition]
    /// The conditions on events; all must hold.
    public var behaviors: [Behavior]

    /// Creates a cohort.
    public init(conditions: [QueryCondition] = [], behaviors: [Behavior] = []) {
        self.conditions = conditions
        self.behaviors = behaviors
    }
}

/// The saved cohorts that conditions can name.
///
/// Callable from any thread.
public protocol CohortDirectory: Sendable {
    /// Returns the cohort with a name; nil if there is none.
    ///
    /// - Parameter now: The time from which relative ranges count back.
    /// - Throws: ``StoreError`` if the cohorts cannot be read.
    func cohort(named name: String, at now: Timestamp) throws(StoreError) -> Cohort?
}

extension CohortDirectory {
    /// Returns the cohorts that conditions on some fields name.
    ///
    /// - Throws: ``StoreError`` of kind `unknownCohort` if one does not exist.
    public func cohorts(in fields: some Sequence<QueryField>, at now: Timestamp) throws(StoreError) -> [String: Cohort]
    {
        var cohorts: [String: Cohort] = [:]
        for field in fields {
            guard case .cohort(let name) = field, cohorts[name] == nil else { continue }
            guard let cohort = try cohort(named: name, at: now) else { throw .unknownCohort(name) }
            cohorts[name] = cohort
        }
        return cohorts
    }
}

/// A directory without cohorts.
public struct NoCohorts: CohortDirectory {
    /// Creates a directory.
    public init() {}

    /// Returns nil.
    public func cohort(named name: String, at now: Timestamp) -> Cohort? { nil }
}
