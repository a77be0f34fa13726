// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Rules for which touches are recorded as clicks, and with which attributes.
public struct ClickRules: Sendable, Hashable {
    /// Whether the titles of buttons, segments, and tabs are recorded.
    ///
    /// False by default, because an app may use a person's name as the title of a button. Text that users type is never
    /// recorded.
    public var includesTitles = false
    /// Whether the `accessibilityIdentifier` of an element is recorded.
    ///
    /// True by default. An identifier that looks like an e-mail address or a phone number is never recorded: one that
    /// contains `@`, or `+` before a digit. Set it to false in an app whose identifiers contain other personal data. An
    /// element without a recorded identifier is named by its class and its position in the view hierarchy.
    public var includesIdentifiers = true
    /// Element classes whose clicks are not recorded, with or without their module.
    public var excludedClasses: Set<String> = []
    /// The marker of elements whose clicks are not recorded.
    ///
    /// An element whose `accessibilityIdentifier` contains it is ignored, including everything inside it.
    /// `UIView.ignoresCapture` has the same effect without an identifier.
    public var ignoringMark = "trackway-ignore"
    /// The minimum interval between two clicks on one element.
    ///
    /// Clicks at a shorter interval count as one, because a touch and the action that it triggers are both reported.
    public var interval = Duration.milliseconds(100)

    /// Creates the default rules.
    public init() {}
}

/// Facts about an element, independent of the UI framework.
struct ElementFacts: Sendable, Hashable {
    /// The kind of an element.
    enum Kind: Sendable, Hashable {
        /// A button, a switch, a slider, or another control.
        case control
        /// A row or an item of a list.
        case cell
        /// A view that recognizes taps.
        case tappable
        /// A text input.
        case textInput
        /// Any other view: labels, images, backgrounds.
        case plain
    }

    /// The class's runtime name; see ``ClassName``.
    var className: String
    var kind = Kind.plain
    /// `accessibilityIdentifier`.
    var identifier: String?
    /// Whether the app excludes the element and its contents from recording.
    var isIgnored = false
    /// The index among its siblings.
    var index = 0
    /// Its title, unless a user wrote it.
    var title: String?
    /// Its position in its list, as "section:row".
    var position: String?
    /// Identifies the element.
    var id = 0
}

/// Facts about a lifted finger or an action that is being sent.
struct ClickFacts: Sendable, Hashable {
    /// The element and its ancestors, innermost first.
    var chain: [ElementFacts]
    /// The window's class.
    var window: String?
    /// The number of fingers.
    var fingers = 1
    /// The title of the screen that contains the element.
    var screenTitle: String?
}

/// A click to record.
struct FoundClick: Sendable, Hashable {
    /// Identifies the element, to recognize several clicks on it.
    var element: Int
    var attributes: Attributes
}

extension ClickRules {
    /// Returns the click to record.
    ///
    /// Returns nil if the touch is not a click.
    func click(in facts: ClickFacts) -> FoundClick? {
        guard facts.fingers == 1, !isSystemWindow(facts.window) else { return nil }
        // A tap in a text input only places the cursor.
        guard facts.chain.first?.kind != .textInput,
            let place = facts.chain.firstIndex(where: { $0.kind != .plain && $0.kind != .textInput })
        else { return nil }
        guard !facts.chain.contains(where: { isIgnored($0) }) else { return nil }
        let element = facts.chain[place]
        let bare = ScreenRules.bareName(of: element.className)
        var attributes: Attributes = [
            CapturedKey.elementID: .string(name(of: place, in: facts.chain)),
            CapturedKey.elementType: .string(bare),
        ]
        // A button in a cell has the cell's position.
        let position = facts.chain[place...].lazy.compactMap(\.position).first
        if let position { attributes[CapturedKey.elementPosition] = .string(position) }
        if includesTitles, let title = element.title, let shown = Self.shown(title) {
            attributes[CapturedKey.elementContent] = .string(shown)
        }
        if let title = facts.screenTitle { attributes[CapturedKey.screenTitle] = .string(title) }
        return FoundClick(element: element.id, attributes: attributes)
    }

    private func isIgnored(_ element: ElementFacts) -> Bool {
        if element.isIgnored { return true }
        if let identifier = element.identifier, identifier.contains(ignoringMark) { return true }
        guard !excludedClasses.isEmpty else { return false }
        return ScreenRules.contains(excludedClasses, element.className, ClassName(element.className))
    }

    private func isSystemWindow(_ name: String?) -> Bool {
        guard let bare = name.map({ ScreenRules.bareName(of: $0) }), bare.hasPrefix("UI") || bare.hasPrefix("_UI")
        else {
            return false
        }
        return bare.contains("Keyboard") || bare.contains("TextEffects") || bare.contains("StatusBar")
    }

    /// Returns the name of an element.
    ///
    /// The name is the element's identifier, or else its class and its path below the nearest ancestor with an
    /// identifier.
    private func name(of place: Int, in chain: [ElementFacts]) -> String {
        if let own = identifier(of: chain[place]) { return own }
        var parts: [String] = []
        for element in chain[place...].prefix(Self.maxPath) {
            if let identifier = identifier(of: element) {
                parts.append(identifier)
                break
            }
            parts.append("\(ScreenRules.bareName(of: element.className))[\(element.index)]")
        }
        return parts.reversed().joined(separator: "/")
    }

    /// Returns the identifier to record.
    ///
    /// Returns nil if it is missing, disabled, or looks like personal data.
    private func identifier(of element: ElementFacts) -> String? {
        guard includesIdentifiers, let identifier = element.identifier, !identifier.isEmpty,
            !Self.looksPersonal(identifier)
        else { return nil }
        return identifier
    }

    /// Whether an identifier looks like an e-mail address or a phone number.
    private static func looksPersonal(_ identifier: String) -> Bool {
        var last: Character?
        for letter in identifier {
            if letter == "@" || last == "+" && letter.isNumber { return true }
            last = letter
        }
        return false
    }

    /// The maximum number of elements in the path of an unidentified element.
    private static let maxPath = 4
    /// The maximum length of a title in characters.
    private static let maxTitle = 128

    /// Returns a title as a single line.
    ///
    /// Returns nil if it is blank.
    static func shown(_ title: String) -> String? {
        let line = title.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return line.isEmpty ? nil : String(line.prefix(maxTitle))
    }
}

/// Merges the two reports of one click.
///
/// One report is the touch, the other is the action that it triggers.
struct ClickDeduplicator: Sendable, Hashable {
    private var last: [Int: MonotonicTime] = [:]

    /// Whether the click is new and must be recorded.
    mutating func isNew(_ click: FoundClick, at now: MonotonicTime, interval: Duration) -> Bool {
        last = last.filter { $0.value.duration(to: now) < interval }
        guard last[click.element] == nil else { return false }
        last[click.element] = now
        return true
    }
}
