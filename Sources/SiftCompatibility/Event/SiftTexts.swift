// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Texts by name, as an app handed them over, and what was no text among them.
///
/// What is no text is kept so that it can be named when the event is refused.
package struct SiftTexts: Sendable, Hashable {
    /// One entry whose name or value is no text.
    package struct Misfit: Sendable, Hashable, Comparable {
        /// The entry's name in words.
        package var name: String
        /// What stands there.
        package var value: String

        /// Alphabetical.
        package static func < (left: Self, right: Self) -> Bool {
            (left.name, left.value) < (right.name, right.value)
        }
    }

    /// The entries that are texts under texts.
    package var texts: [String: String]
    /// The entries that are not, in alphabetical order.
    package private(set) var misfits: [Misfit] = []

    /// Texts, and nothing else.
    package init(_ texts: [String: String]) {
        self.texts = texts
    }

    /// Whatever a dictionary holds.
    package init(_ entries: [AnyHashable: Any]) {
        texts = [:]
        for (key, value) in entries {
            switch (key.base as? String, value as? String) {
            case (let name?, let text?): texts[name] = text
            case (let name?, nil): misfits.append(Misfit(name: name, value: "\(value) (\(type(of: value)))"))
            case (nil, _): misfits.append(Misfit(name: "", value: "the name \(key.base) (\(type(of: key.base)))"))
            }
        }
        misfits.sort()
    }

    /// Notes an entry that is no text.
    package mutating func add(_ misfit: Misfit) {
        misfits.append(misfit)
        misfits.sort()
    }
}
