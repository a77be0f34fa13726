// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The subject of a record.
///
/// A record describes an event, or contains data about a person, an item or the device.
///
/// The attributes of an event describe the event, so the attributes that an app adds to every event belong there, too.
/// The attributes of the other subjects *are* the data: an additional key would be set, incremented or deleted at the
/// back end. Only this type decides which kinds of record get attributes that were not recorded with them.
package enum RecordSubject: Sendable, Hashable, CaseIterable {
    /// The record is an event.
    case event
    /// The attributes belong to a person.
    case person
    /// The attributes belong to an item.
    case item
    /// The attributes belong to the device, or to the app on it.
    case device

    /// Returns the subject of a record with its own attributes.
    package init(name: String, attributes: Attributes) {
        switch name {
        case CapturedName.profileSet:
            // A sign-in or a sign-out is an event.
            self = attributes[CapturedKey.signedIn] == nil ? .person : .event
        case CapturedName.profileSetOnce, CapturedName.profileIncrement, CapturedName.profileAppend,
            CapturedName.profileUnset, CapturedName.profileDelete, CapturedName.consent,
            CapturedName.alias:
            self = .person
        case CapturedName.itemSet, CapturedName.itemDelete:
            self = .item
        case CapturedName.deviceProperties, CapturedName.appState:
            self = .device
        default:
            self = .event
        }
    }

    /// Whether the record gets the app's attributes for every event.
    ///
    /// These include dynamic attributes.
    package var takesSharedAttributes: Bool { self == .event }
}

extension Attributes {
    /// Returns these attributes, then the shared ones with other keys.
    ///
    /// The shared attributes are added only if the record takes shared attributes. The record's own attributes come
    /// first, so that a limit on their number does not drop them.
    ///
    /// - Parameters:
    ///   - shared: The shared attributes; evaluated only if the record takes any.
    ///   - name: The record's name.
    ///   - limit: The maximum number of shared attributes to examine, because more could not be recorded. Values below
    ///     0 count as 0.
    package func adding(shared: @autoclosure () -> Attributes, toRecord name: String, limit: Int) -> Attributes {
        guard RecordSubject(name: name, attributes: self).takesSharedAttributes else { return self }
        return filled(from: shared(), limit: limit)
    }

    /// Returns these attributes, then those of `others` with other keys.
    ///
    /// - Parameter limit: The maximum number of other attributes to examine. Values below 0 count as 0.
    package func filled(from others: Attributes, limit: Int) -> Attributes {
        var pairs = pairs
        let own = pairs.count
        let more = others.pairs.prefix(Swift.max(0, limit))
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
