// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The rules for which view controllers are screens, and for their names.
public struct ScreenRules: Sendable, Hashable {
    /// The way to derive a screen name from a controller's class.
    public enum Naming: Sendable, Hashable {
        /// A readable name, such as "Product Detail" for `Shop.ProductDetailViewController`.
        case readable
        /// The unchanged class name, such as `Shop.ProductDetailViewController`.
        case className
    }

    /// The naming of screens whose controllers provide no name.
    public var naming = Naming.readable
    /// The names of controller classes that are not screens.
    ///
    /// A name may include or omit its module. Some system classes are never screens and need not be listed.
    public var excludedClasses: Set<String> = []
    /// Whether controllers of system frameworks are screens.
    ///
    /// Examples are pickers, mail composers, and alerts. False by default, because every keyboard has such controllers.
    public var includesSystem = false
    /// Whether child controllers are screens in any container.
    ///
    /// False by default, because a screen often consists of several controllers. Child controllers of navigation, tab,
    /// page, and split view controllers are screens in any case.
    public var includesChildren = false
    /// The classes whose controllers are screens inside any parent.
    ///
    /// A name may include or omit its module. Use this, for example, for the children of a custom container. A
    /// container can also declare all its children to be screens; see `ScreenContainer`.
    public var includedClasses: Set<String> = []
    /// Whether the titles of controllers are recorded with their screens.
    ///
    /// False by default, because an app may use a person's name in a title.
    public var includesTitles = false

    /// Creates the default rules.
    public init() {}
}

/// The facts about a view controller, independent of the UI framework.
struct ControllerFacts: Sendable, Hashable {
    /// The kind of a container controller.
    enum Container: Sendable, Hashable {
        case navigation
        case tabs
        case pages
        case split
        /// A custom container that conforms to `ScreenContainer`.
        case screens
        /// Any other container, including other custom containers.
        case other
    }

    /// The class's runtime name; see ``ClassName``.
    ///
    /// For example, `Shop.HomeViewController` or `_TtCO4Shop8Checkout14ViewController`.
    var className: String
    /// Whether the class belongs to the app rather than to the system.
    ///
    /// The app's own frameworks are part of the app.
    var isOfApp = true
    /// The controller's own declaration about its screen; nil if it makes none.
    var declaredScreen: DeclaredScreen?
    /// The kind of container; nil for a controller with its own content.
    var container: Container?
    /// The kind of container that contains the controller.
    ///
    /// nil for a window's root controller or a presented controller.
    var parent: Container?
    /// The controller's title or, if missing, that of its navigation item.
    var title: String?
    /// The classes of the controller's ancestors, outermost first.
    var path: [String] = []
    /// A number that identifies the controller.
    var id = 0
}

/// A controller's own declaration about its screen.
enum DeclaredScreen: Sendable, Hashable {
    case named(String, Attributes)
    /// The controller is not a screen.
    case hidden
}

extension ScreenRules {
    /// Returns the screen that a controller shows.
    ///
    /// nil if the controller shows no screen.
    func screen(of controller: ControllerFacts) -> CapturedScreen? {
        switch controller.declaredScreen {
        case .hidden?:
            return nil
        case .named(let name, let attributes)?:
            // A controller that names itself is a screen in any container.
            return name.isEmpty ? nil : makeScreen(controller, name: name, attributes)
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
        return name.isEmpty ? nil : makeScreen(controller, name: name, [:])
    }

    private func makeScreen(_ controller: ControllerFacts, name: String, _ attributes: Attributes) -> CapturedScreen {
        var attributes = attributes
        if attributes[CapturedKey.screenTitle] == nil, let title = title(of: controller) {
            attributes[CapturedKey.screenTitle] = .string(title)
        }
        return CapturedScreen(
            name: name,
            id: (controller.path + [controller.className]).map { ClassName($0).full }.joined(separator: "/"),
            uniqueID: String(controller.id),
            attributes: attributes
        )
    }

    /// Returns the title to record.
    ///
    /// nil if the title is missing or titles are not recorded.
    private func title(of controller: ControllerFacts) -> String? {
        guard includesTitles, let title = controller.title else { return nil }
        return ClickRules.singleLine(title)
    }

    private func isExcluded(_ controller: ControllerFacts, _ kind: ClassName) -> Bool {
        if Self.contains(excludedClasses, controller.className, kind) { return true }
        // Classes of the app may have the same names as system classes.
        let isOfFrameworks = kind.module.map { Self.systemFrameworks.contains($0) } ?? true
        if isOfFrameworks, Self.excludedSystemClasses.contains(kind.bare) { return true }
        let isOfSystem =
            !controller.isOfApp || isOfFrameworks && (kind.bare.hasPrefix("UI") || kind.bare.hasPrefix("_UI"))
        return isOfSystem
            && (kind.bare.contains("Keyboard") || kind.bare.hasPrefix("UIInput") || kind.bare.hasPrefix("_"))
    }

    /// Returns whether a set of names contains a class.
    ///
    /// The set may contain the class with its module, without its module, without enclosing types, or by its runtime
    /// name.
    static func contains(_ names: Set<String>, _ className: String, _ kind: ClassName) -> Bool {
        guard !names.isEmpty else { return false }
        return names.contains(className) || names.contains(kind.full) || names.contains(kind.nested)
            || names.contains(kind.bare)
    }

    /// The modules that define system controllers.
    private static let systemFrameworks: Set<String> = ["UIKit", "UIKitCore", "SwiftUI"]

    /// The classes of system controllers that are never screens.
    private static let excludedSystemClasses: Set<String> = [
        "UIHostingController", "UIAlertController", "UIActivityViewController", "UISearchController",
        "UIReferenceLibraryViewController", "UISystemInputAssistantViewController",
        "UIPredictionViewController", "UICompatibilityInputViewController", "UIEditingOverlayViewController",
        "UIApplicationRotationFollowingController", "UIStatusBarViewController", "UIInputWindowController",
    ]

    // MARK: Names

    /// Returns the class name without module, enclosing types, or generic arguments.
    static func bareName(of className: String) -> String { ClassName(className).bare }

    /// Returns a readable form of the class's name.
    ///
    /// The name is unchanged if nothing would remain of it.
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

/// A screen that was shown.
struct CapturedScreen: Sendable, Hashable {
    var name: String
    /// The location in the app.
    ///
    /// The location consists of the classes of the ancestors and of the controller, separated by slashes.
    var id: String
    /// An id that distinguishes the screen from others with the same name.
    var uniqueID: String
    /// The attributes provided by the controller.
    var attributes: Attributes
}
