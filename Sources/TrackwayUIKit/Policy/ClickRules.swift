// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Which touches are clicks, and what is told of them.
public struct ClickRules: Sendable, Hashable {
    /// Whether the titles of buttons, segments and tabs are told. False by default: an app that puts a person's name on a
    /// button would tell it. What people type is never told.
    public var includesTitles = false
    /// Whether the `accessibilityIdentifier` of an element is recorded.
    ///
    /// True by default. An identifier that looks like an e-mail address or a phone number is never recorded: one that contains `@`, or `+`
    /// before a digit. Set it to false in an app that puts other data of people into identifiers.
    /// An element without a recorded identifier is named by its class and place.
    public var includesIdentifiers = true
    /// Classes of elements whose clicks are not told, with their module or without it.
    public var excludedClasses: Set<String> = []
    /// Elements whose `accessibilityIdentifier` contains this are not told of, nor is anything inside of them. `UIView.ignoresCapture` does
    /// the same without an identifier.
    public var ignoringMark = "trackway-ignore"
    /// The shortest time between two clicks on one element; closer ones are one click that came on two ways.
    public var interval = Duration.milliseconds(100)

    /// The usual rules.
    public init() {}
}

/// What is to be known of an element, without the framework that it belongs to.
struct ElementFacts: Sendable, Hashable {
    /// What kind of element it is, as far as that matters here.
    enum Kind: Sendable, Hashable {
        /// A button, a switch, a slider, or anything else that is worked with.
        case control
        /// A row or an item of a list.
        case cell
        /// Something that waits for taps.
        case tappable
        /// A place for text.
        case textInput
        /// Anything else: labels, pictures, backgrounds.
        case plain
    }

    /// The class as a runtime names it; see ``ClassName``.
    var className: String
    var kind = Kind.plain
    /// `accessibilityIdentifier`.
    var identifier: String?
    /// Whether the app wants neither it nor anything inside of it to be recorded.
    var isIgnored = false
    /// Where it stands among its siblings.
    var index = 0
    /// What stands on it, unless a person wrote that.
    var title: String?
    /// Where in its list it lies, as "section:row".
    var position: String?
    /// Tells it from all others.
    var id = 0
}

/// One finger that was lifted, or one action that was carried out.
struct ClickFacts: Sendable, Hashable {
    /// The element and those around it, innermost first.
    var chain: [ElementFacts]
    /// The class of the window.
    var window: String?
    /// How many fingers there were.
    var fingers = 1
    /// The title of the screen that the element lies on.
    var screenTitle: String?
}

/// A click as it is told.
struct ClickFound: Sendable, Hashable {
    /// Which element, to tell two clicks on one from clicks on two.
    var element: Int
    var attributes: Attributes
}

extension ClickRules {
    /// What was clicked; nil when nothing was that counts.
    func click(in facts: ClickFacts) -> ClickFound? {
        guard facts.fingers == 1, !isSystemWindow(facts.window) else { return nil }
        // Text is typed where text is typed; pressing there chooses a place in it.
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
        // A cell around a button says where the button is.
        let position = facts.chain[place...].lazy.compactMap(\.position).first
        if let position { attributes[CapturedKey.elementPosition] = .string(position) }
        if includesTitles, let title = element.title, let shown = Self.shown(title) {
            attributes[CapturedKey.elementContent] = .string(shown)
        }
        if let title = facts.screenTitle { attributes[CapturedKey.screenTitle] = .string(title) }
        return ClickFound(element: element.id, attributes: attributes)
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

    /// What the app calls an element; of one that has no name, its class, and its place within the next one that has.
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

    /// The identifier as it is recorded; nil when there is none, none is wanted, or it may name a person.
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

    /// How much of the way up an element without a name is told.
    private static let maxPath = 4
    /// How much of a title is told, in characters.
    private static let maxTitle = 128

    /// A title in one line; nil when nothing of it is left.
    static func shown(_ title: String) -> String? {
        let line = title.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return line.isEmpty ? nil : String(line.prefix(maxTitle))
    }
}

/// Makes one click of those that come on two ways: as a touch, and as the action that the touch leads to.
struct ClickMemory: Sendable, Hashable {
    private var last: [Int: MonotonicTime] = [:]

    /// Whether a click is to be told.
    mutating func isNew(_ click: ClickFound, at now: MonotonicTime, interval: Duration) -> Bool {
        last = last.filter { $0.value.duration(to: now) < interval }
        guard last[click.element] == nil else { return false }
        last[click.element] = now
        return true
    }
}
