// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The rules for which touches are recorded as clicks, and their attributes.
public struct ClickRules: Sendable, Hashable {
    /// Whether the titles of buttons, segments, and tabs are recorded.
    ///
    /// False by default, because an app may use a person's name as the title of a button. Text that users type is never
    /// recorded.
    public var includesTitles = false
    /// Whether the `accessibilityIdentifier` of an element is recorded.
    ///
    /// True by default. An identifier that looks like an e-mail address or a phone number is never recorded: one that
    /// contains `@`, or `+` before a digit. Set this to false in an app whose identifiers contain other personal data.
    /// An element without a recorded identifier is named by its class and its position in the view hierarchy.
    public var includesIdentifiers = true
    /// The element classes whose clicks are not recorded.
    ///
    /// A class name may include or omit its module.
    public var excludedClasses: Set<String> = []
    /// The marker of elements whose clicks are not recorded.
    ///
    /// An element whose `accessibilityIdentifier` contains the marker is ignored, including everything inside the
    /// element. `UIView.ignoresCapture` has the same effect without an identifier.
    public var ignoredIdentifierMarker = "trackway-ignore"
    /// The minimum interval between two clicks on one element.
    ///
    /// Clicks at a shorter interval count as one, because a touch and the action that it triggers are both reported.
    public var interval = Duration.milliseconds(100)

    /// Creates the default rules.
    public init() {}
}

/// The facts about an element, independent of the UI framework.
struct ElementFacts: Sendable, Hashable {
    /// The kind of an element.
    enum Kind: Sendable, Hashable {
        /// A control, such as a button, a switch, or a slider.
        case control
        /// A row or item in a list.
        case cell
        /// A view that recognizes taps.
        case tappable
        /// A text input.
        case textInput
        /// Any other view, such as a label, an image, or a background.
        case plain
    }

    /// The class's runtime name; see ``ClassName``.
    var className: String
    var kind = Kind.plain
    /// The element's `accessibilityIdentifier`.
    var identifier: String?
    /// Whether the app excludes the element and its contents from recording.
    var isIgnored = false
    /// The element's index among its siblings.
    var index = 0
    /// The element's title, unless a user wrote it.
    var title: String?
    /// The element's position in its list, as "section:row".
    var position: String?
    /// A number that identifies the element.
    var id = 0
}

/// The facts about a lifted finger or an action being sent.
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
struct CapturedClick: Sendable, Hashable {
    /// The element's id, used to recognize several clicks on the same element.
    var element: Int
    var attributes: Attributes
}

extension ClickRules {
    /// Returns the click to record.
    ///
    /// nil if the touch is not a click.
    func click(in facts: ClickFacts) -> CapturedClick? {
        guard facts.fingers == 1, !isSystemWindow(facts.window) else { return nil }
        // A tap in a text input only places the cursor.
        guard facts.chain.first?.kind != .textInput,
            let index = facts.chain.firstIndex(where: { $0.kind != .plain && $0.kind != .textInput })
        else { return nil }
        guard !facts.chain.contains(where: { isIgnored($0) }) else { return nil }
        let element = facts.chain[index]
        let bare = ScreenRules.bareName(of: element.className)
        var attributes: Attributes = [
            CapturedKey.elementID: .string(name(of: index, in: facts.chain)),
            CapturedKey.elementType: .string(bare),
        ]
        // A button in a cell has the cell's position.
        let position = facts.chain[index...].lazy.compactMap(\.position).first
        if let position { attributes[CapturedKey.elementPosition] = .string(position) }
        if includesTitles, let title = element.title, let shown = Self.singleLine(title) {
            attributes[CapturedKey.elementContent] = .string(shown)
        }
        if let title = facts.screenTitle { attributes[CapturedKey.screenTitle] = .string(title) }
        return CapturedClick(element: element.id, attributes: attributes)
    }

    private func isIgnored(_ element: ElementFacts) -> Bool {
        if element.isIgnored { return true }
        if let identifier = element.identifier, identifier.contains(ignoredIdentifierMarker) { return true }
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
    /// The name is the element's identifier or, if it has none, its class and its path below the nearest ancestor with
    /// an identifier.
    private func name(of index: Int, in chain: [ElementFacts]) -> String {
        if let own = identifier(of: chain[index]) { return own }
        var parts: [String] = []
        for element in chain[index...].prefix(Self.maxPathElements) {
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
    /// nil if the identifier is missing, is not to be recorded, or looks like personal data.
    private func identifier(of element: ElementFacts) -> String? {
        guard includesIdentifiers, let identifier = element.identifier, !identifier.isEmpty,
            !Self.looksPersonal(identifier)
        else { return nil }
        return identifier
    }

    /// Returns whether an identifier looks like an e-mail address or phone number.
    private static func looksPersonal(_ identifier: String) -> Bool {
        var last: Character?
        for letter in identifier {
            if letter == "@" || last == "+" && letter.isNumber { return true }
            last = letter
        }
        return false
    }

    /// The maximum number of elements in the path of an unidentified element.
    private static let maxPathElements = 4
    /// The maximum length of a title in characters.
    private static let maxTitleLength = 128

    /// Returns a title as a single line.
    ///
    /// nil if the title is blank.
    static func singleLine(_ title: String) -> String? {
        let line = title.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return line.isEmpty ? nil : String(line.prefix(maxTitleLength))
    }
}

/// A filter that merges the two reports of one click.
///
/// One report is the touch; the other is the action that the touch triggers.
struct ClickDeduplicator: Sendable, Hashable {
    private var lastClicks: [Int: MonotonicTime] = [:]

    /// Returns whether the click is new and must be recorded.
    mutating func insert(_ click: CapturedClick, at now: MonotonicTime, interval: Duration) -> Bool {
        lastClicks = lastClicks.filter { $0.value.duration(to: now) < interval }
        guard lastClicks[click.element] == nil else { return false }
        lastClicks[click.element] = now
        return true
    }
}
