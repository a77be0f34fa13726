// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Which view controllers are screens, and what they are called.
public struct ScreenRules: Sendable, Hashable {
    /// How a controller's class becomes a name.
    public enum Naming: Sendable, Hashable {
        /// As a person reads it: `Shop.ProductDetailViewController` is "Product Detail".
        case readable
        /// The class as it is: `Shop.ProductDetailViewController`.
        case className
    }

    /// How screens are named that do not name themselves.
    public var naming = Naming.readable
    /// Classes that are no screens, with their module or without it, beside those that never are.
    public var excludedClasses: Set<String> = []
    /// Whether controllers of the system's frameworks are screens: pickers, mail, alerts. False by default, because they
    /// come with every keyboard.
    public var includesSystem = false
    /// Whether controllers inside others are screens, beyond those inside navigation, tabs, pages and split views. False
    /// by default, because a screen is often put together of several.
    public var includesChildren = false
    /// Classes whose controllers are screens wherever they lie, with their module or without it: the children of a container of the app's
    /// own, for one. A container can say the same of all its children; see `ScreenContainer`.
    public var includedClasses: Set<String> = []
    /// Whether the titles of controllers are told with their screens. False by default: an app that puts a person's name in a
    /// title would tell it.
    public var includesTitles = false

    /// The usual rules.
    public init() {}
}

/// What is to be known of a view controller, without the framework that it belongs to.
struct ControllerFacts: Sendable, Hashable {
    /// What kind of container a controller is.
    enum Container: Sendable, Hashable {
        case navigation
        case tabs
        case pages
        case split
        /// One of the app's own that says so (`ScreenContainer`).
        case screens
        /// Any other, the app's own included.
        case other
    }

    /// The class as a runtime names it, as in `Shop.HomeViewController` or `_TtCO4Shop8Checkout14ViewController`; see ``ClassName``.
    var className: String
    /// Whether the class comes from the app, its own frameworks included, and not from the system.
    var isOfApp = true
    /// What the controller itself wants to be called; nil when it does not say.
    var chosen: ChosenScreen?
    /// Whether it shows other controllers instead of something of its own.
    var container: Container?
    /// What it lies in; nil for a window's or a presented one.
    var parent: Container?
    /// What stands in the bar above it.
    var title: String?
    /// The classes around it, outermost first.
    var path: [String] = []
    /// Tells it from all others.
    var id = 0
}

/// What a controller says about its screen.
enum ChosenScreen: Sendable, Hashable {
    case named(String, Attributes)
    /// It is no screen.
    case hidden
}

extension ScreenRules {
    /// The screen that a controller shows; nil when it shows none of its own.
    func screen(of controller: ControllerFacts) -> ScreenFound? {
        switch controller.chosen {
        case .hidden?:
            return nil
        case .named(let name, let attributes)?:
            // Whoever names itself is a screen, whatever it lies in.
            return name.isEmpty ? nil : found(controller, name: name, attributes)
        case nil:
            break
        }
        guard controller.container == nil, controller.isOfApp || includesSystem else { return nil }
        let kind = ClassName(controller.className)
        guard !isExcluded(controller, kind) else { return nil }
        if controller.parent == .other, !includesChildren,
            !Self.contains(includedClasses, controller.className, kind)
        {
            return nil
        }
        let name = naming == .className ? kind.full : Self.readableName(of: kind.bare)
        return name.isEmpty ? nil : found(controller, name: name, [:])
    }

    private func found(_ controller: ControllerFacts, name: String, _ attributes: Attributes) -> ScreenFound {
        var attributes = attributes
        if attributes[CapturedKey.screenTitle] == nil, let title = title(of: controller) {
            attributes[CapturedKey.screenTitle] = .string(title)
        }
        return ScreenFound(
            name: name,
            id: (controller.path + [controller.className]).map { ClassName($0).full }.joined(separator: "/"),
            uniqueID: String(controller.id),
            attributes: attributes
        )
    }

    /// The title as it is told; nil when there is none, or none is wanted.
    private func title(of controller: ControllerFacts) -> String? {
        guard includesTitles, let title = controller.title else { return nil }
        return ClickRules.shown(title)
    }

    private func isExcluded(_ controller: ControllerFacts, _ kind: ClassName) -> Bool {
        if Self.contains(excludedClasses, controller.className, kind) { return true }
        // What the system's classes are called says nothing about classes of the app's own.
        let isOfFrameworks = kind.module.map { Self.frameworks.contains($0) } ?? true
        if isOfFrameworks, Self.neverScreens.contains(kind.bare) { return true }
        let isOfSystem =
            !controller.isOfApp || isOfFrameworks && (kind.bare.hasPrefix("UI") || kind.bare.hasPrefix("_UI"))
        return isOfSystem
            && (kind.bare.contains("Keyboard") || kind.bare.hasPrefix("UIInput") || kind.bare.hasPrefix("_"))
    }

    /// Whether a set of names has a class, with its module, without it, alone, or as its runtime names it.
    static func contains(_ names: Set<String>, _ className: String, _ kind: ClassName) -> Bool {
        guard !names.isEmpty else { return false }
        return names.contains(className) || names.contains(kind.full) || names.contains(kind.nested)
            || names.contains(kind.bare)
    }

    /// The modules of the system's own controllers.
    private static let frameworks: Set<String> = ["UIKit", "UIKitCore", "SwiftUI"]

    /// Controllers that are no screens wherever they come from.
    private static let neverScreens: Set<String> = [
        "UIHostingController", "UIAlertController", "UIActivityViewController", "UISearchController",
        "UIReferenceLibraryViewController", "UISystemInputAssistantViewController",
        "UIPredictionViewController", "UICompatibilityInputViewController", "UIEditingOverlayViewController",
        "UIApplicationRotationFollowingController", "UIStatusBarViewController", "UIInputWindowController",
    ]

    // MARK: Names

    /// The class without module, what is around it, and generic arguments.
    static func bareName(of className: String) -> String { ClassName(className).bare }

    /// The class's name as a person reads it; the name as it is when nothing of it would be left.
    static func readableName(of bare: String) -> String {
        var name = Substring(bare)
        for ending in ["ViewController", "Controller", "Screen", "VC"] where name.hasSuffix(ending) && name != ending {
            name = name.dropLast(ending.count)
            break
        }
        var words: [String] = []
        var word = ""
        let letters = Array(name)
        for (index, letter) in letters.enumerated() {
            if letter == "_" {
                if !word.isEmpty { words.append(word) }
                word = ""
                continue
            }
            let before = index > 0 ? letters[index - 1] : nil
            let after = index + 1 < letters.count ? letters[index + 1] : nil
            let begins =
                letter.isUppercase
                && (before.map { $0.isLowercase || $0.isNumber } ?? false
                    || (before?.isUppercase ?? false) && (after?.isLowercase ?? false))
            if begins, !word.isEmpty {
                words.append(word)
                word = ""
            }
            word.append(letter)
        }
        if !word.isEmpty { words.append(word) }
        return words.isEmpty ? bare : words.joined(separator: " ")
    }
}

/// A screen that the platform showed.
struct ScreenFound: Sendable, Hashable {
    var name: String
    /// Where in the app it lies: the classes around it and its own, parted by slashes.
    var id: String
    /// What tells it from others of its name.
    var uniqueID: String
    /// What the controller says about it.
    var attributes: Attributes
}
