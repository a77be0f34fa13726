// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation

/// A color.
///
/// Nothing is drawn, so it only stores its components.
open class UIColor: NSObject, @unchecked Sendable {
    private let parts: [CGFloat]

    public init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
        parts = [red, green, blue, alpha]
        super.init()
    }

    public convenience init(white: CGFloat, alpha: CGFloat) {
        self.init(red: white, green: white, blue: white, alpha: alpha)
    }

    open class var white: UIColor { UIColor(white: 1, alpha: 1) }
    open class var black: UIColor { UIColor(white: 0, alpha: 1) }
    open class var clear: UIColor { UIColor(white: 0, alpha: 0) }
    open class var systemBackground: UIColor { UIColor(white: 1, alpha: 1) }
    open class var systemBlue: UIColor { UIColor(red: 0, green: 0.48, blue: 1, alpha: 1) }
    open class var label: UIColor { UIColor(white: 0, alpha: 1) }
    open class var secondaryLabel: UIColor { UIColor(white: 0.4, alpha: 1) }
}

/// An image, identified only by its name.
open class UIImage: NSObject, @unchecked Sendable {
    #if !canImport(ObjectiveC)
    /// The name that the image was requested with.
    public let simulatedName: String
    #endif

    public init?(named name: String) {
        #if !canImport(ObjectiveC)
        simulatedName = name
        super.init()
        #endif
    }

    public init?(systemName name: String) {
        #if !canImport(ObjectiveC)
        simulatedName = name
        super.init()
        #endif
    }
}
