// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation

/// Rules modeled here:
/// - A field that becomes first responder asks its delegate, begins editing, and reports this to its delegate, as a
///   notification and as a control event, in this order; it ends editing in the same way (Apple, page of
///   `UITextFieldDelegate`).
@MainActor open class UITextField: UIControl {
    public nonisolated class var textDidBeginEditingNotification: NSNotification.Name {
        .init("UITextFieldTextDidBeginEditingNotification")
    }
    public nonisolated class var textDidEndEditingNotification: NSNotification.Name {
        .init("UITextFieldTextDidEndEditingNotification")
    }
    public nonisolated class var textDidChangeNotification: NSNotification.Name {
        .init("UITextFieldTextDidChangeNotification")
    }

    open var text: String? = ""
    open var placeholder: String?
    open var isSecureTextEntry = false
    open var textContentType: UITextContentType?
    open internal(set) var isEditing = false
    open weak var delegate: (any UITextFieldDelegate)?

    open override var canBecomeFirstResponder: Bool { isEnabled }

    @discardableResult
    open override func becomeFirstResponder() -> Bool {
        #if !canImport(ObjectiveC)
        guard !isFirstResponder else { return true }
        guard delegate?.textFieldShouldBeginEditing(self) ?? true, super.becomeFirstResponder() else { return false }
        isEditing = true
        delegate?.textFieldDidBeginEditing(self)
        NotificationCenter.default.post(name: Self.textDidBeginEditingNotification, object: self)
        sendActions(for: .editingDidBegin)
        return true
        #endif
    }

    @discardableResult
    open override func resignFirstResponder() -> Bool {
        #if !canImport(ObjectiveC)
        guard isFirstResponder else { return super.resignFirstResponder() }
        guard delegate?.textFieldShouldEndEditing(self) ?? true, super.resignFirstResponder() else { return false }
        isEditing = false
        delegate?.textFieldDidEndEditing(self)
        NotificationCenter.default.post(name: Self.textDidEndEditingNotification, object: self)
        sendActions(for: .editingDidEnd)
        return true
        #endif
    }

    #if !canImport(ObjectiveC)
    override func simulateUse(with event: UIEvent?) {
        becomeFirstResponder()
    }

    /// The user types; the field becomes first responder before that.
    public func simulate(typing letters: String) {
        guard becomeFirstResponder() else { return }
        text = (text ?? "") + letters
        NotificationCenter.default.post(name: Self.textDidChangeNotification, object: self)
        sendActions(for: .editingChanged)
    }

    /// The user presses the return key.
    public func simulateReturn() {
        guard isFirstResponder, delegate?.textFieldShouldReturn(self) ?? true else { return }
        sendActions(for: .editingDidEndOnExit)
        resignFirstResponder()
    }
    #endif
}

@MainActor /*@objc*/ public protocol UITextFieldDelegate: NSObjectProtocol {
    /*@objc*/ /*optional*/ func textFieldShouldBeginEditing(_ textField: UITextField) -> Bool
    /*@objc*/ /*optional*/ func textFieldDidBeginEditing(_ textField: UITextField)
    /*@objc*/ /*optional*/ func textFieldShouldEndEditing(_ textField: UITextField) -> Bool
    /*@objc*/ /*optional*/ func textFieldDidEndEditing(_ textField: UITextField)
    /*@objc*/ /*optional*/ func textFieldShouldReturn(_ textField: UITextField) -> Bool
}

#if !canImport(ObjectiveC)
extension UITextFieldDelegate {
    public func textFieldShouldBeginEditing(_ textField: UITextField) -> Bool { true }
    public func textFieldDidBeginEditing(_ textField: UITextField) {}
    public func textFieldShouldEndEditing(_ textField: UITextField) -> Bool { true }
    public func textFieldDidEndEditing(_ textField: UITextField) {}
    public func textFieldShouldReturn(_ textField: UITextField) -> Bool { true }
}
#endif

public struct UITextContentType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let password = UITextContentType(rawValue: "password")
    public static let newPassword = UITextContentType(rawValue: "new-password")
    public static let oneTimeCode = UITextContentType(rawValue: "one-time-code")
    public static let emailAddress = UITextContentType(rawValue: "email")
    public static let username = UITextContentType(rawValue: "username")
    public static let creditCardNumber = UITextContentType(rawValue: "cc-number")
}

@MainActor open class UITextView: UIScrollView {
    public nonisolated class var textDidBeginEditingNotification: NSNotification.Name {
        .init("UITextViewTextDidBeginEditingNotification")
    }
    public nonisolated class var textDidEndEditingNotification: NSNotification.Name {
        .init("UITextViewTextDidEndEditingNotification")
    }
    public nonisolated class var textDidChangeNotification: NSNotification.Name {
        .init("UITextViewTextDidChangeNotification")
    }

    open var text: String? = ""
    open var isEditable: Bool {
        get { storedIsEnabled }
        set { storedIsEnabled = newValue }
    }
    private var storedIsEnabled = true
    open var isSecureTextEntry = false
    open override var canBecomeFirstResponder: Bool { isEditable }

    @discardableResult
    open override func becomeFirstResponder() -> Bool {
        #if !canImport(ObjectiveC)
        guard !isFirstResponder else { return true }
        guard super.becomeFirstResponder() else { return false }
        NotificationCenter.default.post(name: Self.textDidBeginEditingNotification, object: self)
        return true
        #endif
    }

    @discardableResult
    open override func resignFirstResponder() -> Bool {
        #if !canImport(ObjectiveC)
        guard isFirstResponder else { return super.resignFirstResponder() }
        guard super.resignFirstResponder() else { return false }
        NotificationCenter.default.post(name: Self.textDidEndEditingNotification, object: self)
        return true
        #endif
    }
}
