// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What a record speaks of: something that happened, or what holds for a person, a thing or the device.
///
/// Attributes of a happening describe it, so those that an app adds to every event belong there too. Attributes of the others
/// *are* the statement: one more key would be set, added to or deleted at the back-end. This is the one place where it is
/// decided which kinds of record take attributes that the record did not bring with it.
package enum RecordSubject: Sendable, Hashable, CaseIterable {
    /// Something happened.
    case happening
    /// The attributes are a person's.
    case person
    /// The attributes are a thing's.
    case item
    /// The attributes are the device's, or the app's on it.
    case device

    /// What a record of this name and with these attributes of its own speaks of.
    package init(name: String, attributes: Attributes) {
        switch name {
        case CapturedName.profileSet:
            // Somebody who signed in or out: that happened.
            self = attributes[CapturedKey.signedIn] == nil ? .person : .happening
        case CapturedName.profileSetOnce, CapturedName.profileIncrement, CapturedName.profileAppend,
            CapturedName.profileUnset, CapturedName.profileDelete:
            self = .person
        case CapturedName.itemSet, CapturedName.itemDelete:
            self = .item
        case CapturedName.deviceProperties, CapturedName.appState:
            self = .device
        default:
            self = .happening
        }
    }

    /// Whether attributes that an app adds to every event, dynamic ones say, are added to the record.
    package var takesSharedAttributes: Bool { self == .happening }
}

extension Attributes {
    /// The attributes of a record of this name: these, and behind them the shared ones with other keys, if such a record
    /// takes any. What is the record's own stands first, so that a limit on the count never costs it.
    ///
    /// - Parameters:
    ///   - shared: asked for only when the record takes them.
    ///   - name: the record's name.
    ///   - most: how many of the shared ones are looked at; more could not be recorded anyway. Less than 0 counts as 0.
    package func adding(shared: @autoclosure () -> Attributes, toRecord name: String, most: Int) -> Attributes {
        guard RecordSubject(name: name, attributes: self).takesSharedAttributes else { return self }
        return filled(from: shared(), most: most)
    }

    /// These attributes, and behind them those of `others` with other keys.
    ///
    /// - Parameter most: how many of the others are looked at. Less than 0 counts as 0.
    package func filled(from others: Attributes, most: Int) -> Attributes {
        var pairs = pairs
        let own = pairs.count
        let more = others.pairs.prefix(Swift.max(0, most))
        pairs.reserveCapacity(own + more.count)
        for (key, value) in more where !pairs[..<own].contains(where: { $0.0 == key }) {
            if let place = pairs[own...].firstIndex(where: { $0.0 == key }) {
                pairs[place].1 = value
            } else {
                pairs.append((key, value))
            }
        }
        var filled = Attributes(pairs: pairs)
        filled.unsupported = unsupported
        filled.addUnsupported(of: others)
        return filled
    }
}
