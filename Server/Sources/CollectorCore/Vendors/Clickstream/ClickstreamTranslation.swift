// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// Translates an event of the Clickstream format into our format.
///
/// Common attributes become the context. The names of captured events are the same.
struct ClickstreamTranslation: VendorTranslation {
    /// The app that the request names.
    let app: String

    /// Returns the event for a value.
    ///
    /// - Throws: ``VendorFault`` if a required member is missing or invalid.
    func event(_ value: JSONValue) throws(VendorFault) -> VendorEvent {
        guard case .object(var event) = value else {
            throw .invalid("", "an object", value)
        }
        let installation = installation(value)
        guard let named = event.take("app_id") else { throw .missing("app_id") }
        guard named.string == app else {
            throw VendorFault(
                .appMismatch,
                "app_id",
                "The event belongs to a different app than the request, which names “\(app)”."
            )
        }
        guard let type = event.take("event_type") else { throw .missing("event_type") }
        guard let name = type.text else { throw .invalid("event_type", "a name", type) }
        guard let timestamp = event.take("timestamp") else { throw .missing("timestamp") }
        guard let moment = timestamp.wholeNumber else {
            throw .invalid("timestamp", "a whole number of milliseconds since 1970", timestamp)
        }
        let time = Timestamp(milliseconds: moment)
        guard let ownID = event.take("event_id") else { throw .missing("event_id") }
        guard let id = ownID.text else { throw .invalid("event_id", "text", ownID) }
        var attributes = try Self.object("attributes", of: &event)
        let items = try Self.items(of: &event, &attributes)
        let user = try ClickstreamContext.user(&event)
        let context = ClickstreamContext.context(
            app: app,
            event: &event,
            attributes: &attributes,
            user: user,
            name: name,
            time: time
        )
        // Members that the format does not define are the app's own.
        for member in event.members { attributes.putNew(member.key, member.value) }
        Self.correct(&attributes, of: name)
        return VendorEvent(
            installation: installation,
            context: context,
            id: EventID(id) ?? StableID.event(at: time, ["clickstream", app, id]),
            name: name,
            time: time,
            attributes: attributes.withoutNulls,
            items: items
        )
    }

    /// Returns the installation of an event, valid or not.
    ///
    /// The same device and app are the same installation.
    func installation(_ value: JSONValue) -> InstallationID? {
        guard let device = value["device_id"]?.text ?? value["unique_id"]?.text else { return nil }
        return StableID.installation(["clickstream", app, device])
    }

    private static func object(
        _ key: String,
        of event: inout JSONValue.Object
    ) throws(VendorFault) -> JSONValue.Object {
        guard let value = event.take(key) else { return .init() }
        guard let object = value.object else { throw .invalid(key, "an object", value) }
        return object.withoutNulls
    }

    /// Removes the items from an event and returns them.
    ///
    /// Our format requires an id for each item. Items without an id are kept in the attributes instead of being lost.
    private static func items(
        of event: inout JSONValue.Object,
        _ attributes: inout JSONValue.Object
    ) throws(VendorFault) -> [JSONValue] {
        guard let value = event.take("items") else { return [] }
        guard let array = value.array else { throw .invalid("items", "an array", value) }
        var items: [JSONValue] = []
        var others: [JSONValue] = []
        for element in array {
            guard var item = element.object, let id = identity(&item) else {
                others.append(element)
                continue
            }
            var canonical = JSONValue.Object([.init(key: "id", value: .string(id))])
            if let name = item["name"]?.string {
                canonical.put("name", .string(name))
                item.members.removeAll { $0.key == "name" }
            }
            if !item.withoutNulls.members.isEmpty { canonical.put("attributes", .object(item.withoutNulls)) }
            items.append(.object(canonical))
        }
        if !others.isEmpty { attributes.putNew("_items_without_id", .array(others)) }
        return items
    }

    private static func identity(_ item: inout JSONValue.Object) -> String? {
        guard let id = item.take("id") else { return nil }
        return id.text ?? id.wholeNumber.map(String.init)
    }

    /// Corrects misspelled attribute names that clients in the field use.
    private static func correct(_ attributes: inout JSONValue.Object, of name: String) {
        guard name == CapturedName.appException else { return }
        let stack = ["_excepiton_stack", "exception_stack"]
        let message = ["_exception_reason", "exception_message"]
        for (key, spellings) in [(CapturedKey.exceptionStack, stack), (CapturedKey.exceptionMessage, message)] {
            for spelling in spellings where attributes[key] == nil { attributes.put(key, attributes.take(spelling)) }
        }
    }
}
