// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation

@MainActor open class UIButton: UIControl {
    public enum ButtonType: Int, Sendable {
        case custom = 0
        case system = 1
        case detailDisclosure = 2
        case infoLight = 3
        case infoDark = 4
        case contactAdd = 5
        case close = 7
    }

    private var titles: [UInt: String] = [:]
    open private(set) var titleLabel: UILabel? = UILabel(frame: .zero)

    public override init(frame: CGRect) {
        super.init(frame: frame)
    }

    public required init?(coder: NSCoder) {
        super.init(coder: coder)
    }

    public convenience init(type buttonType: ButtonType) {
        self.init(frame: .zero)
    }

    public convenience init(frame: CGRect, primaryAction: UIAction?) {
        self.init(frame: frame)
        if let primaryAction {
            setTitle(primaryAction.title, for: .normal)
            addAction(primaryAction, for: .primaryActionTriggered)
        }
    }

    open func setTitle(_ title: String?, for state: UIControl.State) {
        titles[state.rawValue] = title
        titleLabel?.text = currentTitle
    }

    open func title(for state: UIControl.State) -> String? { titles[state.rawValue] ?? titles[0] }
    open var currentTitle: String? { title(for: state) }
}

@MainActor open class UILabel: UIView {
    open var text: String?
    open var numberOfLines = 1
    open var textColor: UIColor?
}

@MainActor open class UIImageView: UIView {
    open var image: UIImage?

    public init(image: UIImage?) {
        self.image = image
        super.init(frame: .zero)
    }

    public override init(frame: CGRect) {
        super.init(frame: frame)
    }

    public required init?(coder: NSCoder) {
        super.init(coder: coder)
    }
}

@MainActor open class UISwitch: UIControl {
    open var isOn = false

    open func setOn(_ on: Bool, animated: Bool) {
        isOn = on
    }

    #if !canImport(ObjectiveC)
    override func simulateUse(with event: UIEvent?) {
        isOn.toggle()
        simulateChange()
    }
    #endif
}

@MainActor open class UISlider: UIControl {
    open var value: Float = 0
    open var minimumValue: Float = 0
    open var maximumValue: Float = 1
    open var isContinuous = true

    open func setValue(_ value: Float, animated: Bool) {
        self.value = min(max(value, minimumValue), maximumValue)
    }

    #if !canImport(ObjectiveC)
    /// The user moves the slider.
    public func simulate(value: Float) {
        setValue(value, animated: false)
        simulateChange()
    }
    #endif
}

@MainActor open class UIStepper: UIControl {
    open var value: Double = 0
    open var minimumValue: Double = 0
    open var maximumValue: Double = 100
    open var stepValue: Double = 1

    #if !canImport(ObjectiveC)
    /// The user presses plus or minus.
    public func simulateStep(up: Bool) {
        value = min(max(value + (up ? stepValue : -stepValue), minimumValue), maximumValue)
        simulateChange()
    }
    #endif
}

@MainActor open class UISegmentedControl: UIControl {
    public class var noSegment: Int { -1 }
    open var selectedSegmentIndex = -1
    private var titles: [String]

    public init(items: [Any]?) {
        titles = (items ?? []).map { ($0 as? String) ?? "" }
        super.init(frame: .zero)
    }

    public override init(frame: CGRect) {
        titles = []
        super.init(frame: frame)
    }

    public required init?(coder: NSCoder) {
        titles = []
        super.init(coder: coder)
    }

    open var numberOfSegments: Int { titles.count }
    open func titleForSegment(at segment: Int) -> String? { titles.indices.contains(segment) ? titles[segment] : nil }

    #if !canImport(ObjectiveC)
    /// The user selects a segment.
    ///
    /// Selecting the current one reports nothing.
    public func simulate(segment: Int) {
        guard segment != selectedSegmentIndex else { return }
        selectedSegmentIndex = segment
        simulateChange()
    }
    #endif
}

@MainActor open class UIPageControl: UIControl {
    open var numberOfPages = 0
    open var currentPage = 0
}

/// An action with a closure.
@MainActor open class UIAction: NSObject {
    public struct Identifier: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public init(_ rawValue: String) { self.rawValue = rawValue }
    }

    public typealias ActionHandler = @MainActor (UIAction) -> Void

    open var title: String
    public let identifier: Identifier
    open internal(set) var sender: Any?
    let handler: ActionHandler

    public init(
        title: String = "",
        image: UIImage? = nil,
        identifier: Identifier? = nil,
        handler: @escaping ActionHandler
    ) {
        self.title = title
        self.identifier = identifier ?? Identifier("action")
        self.handler = handler
        super.init()
    }
}
