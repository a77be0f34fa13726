// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

#if canImport(ObjectiveC)
internal import Darwin
internal import ObjectiveC
#endif

/// A loaded image and the requested Objective-C classes that it defines.
package struct LoadedImage: Equatable, Sendable {
    /// The path of the image's file.
    package var path: String
    /// The class names in the Objective-C runtime.
    package var classes: [String]

    /// Creates an image.
    package init(path: String, classes: [String]) {
        self.path = path
        self.classes = classes
    }

    /// Whether the path is a system image, which defines no app classes.
    ///
    /// A simulator's system images are in a separate folder.
    package static func isSystem(_ path: String) -> Bool {
        ["/System/", "/usr/lib/"].contains { path.hasPrefix($0) || path.contains("/RuntimeRoot\($0)") }
    }

    /// Returns the loaded images that define any of these classes.
    ///
    /// The images are in load order; without Objective-C, there are none. The call takes about a millisecond, because
    /// the names of all classes in the app's images are compared. It can be made from any thread.
    package static func defining(_ names: Set<String>) -> [LoadedImage] {
        #if canImport(ObjectiveC)
        var count: UInt32 = 0
        let paths = objc_copyImageNames(&count)
        defer { free(paths) }
        return UnsafeBufferPointer(start: paths, count: Int(count)).compactMap { path in
            guard !isSystem(String(cString: path)) else { return nil }
            var count: UInt32 = 0
            guard let classes = objc_copyClassNamesForImage(path, &count) else { return nil }
            defer { free(classes) }
            // A class that the runtime rejected as a duplicate is nevertheless listed for its image.
            let found = UnsafeBufferPointer(start: classes, count: Int(count)).lazy.map { String(cString: $0) }
                .filter { names.contains($0) }
            return found.isEmpty ? nil : LoadedImage(path: String(cString: path), classes: Array(found))
        }
        #else
        []
        #endif
    }
}

/// An Objective-C class that more than one loaded image defines.
///
/// The runtime uses one of the definitions and does not report which.
package struct DuplicateClass: Equatable, Sendable {
    /// The class name.
    package let name: String
    /// The files that define the class, in the order of the images.
    ///
    /// Each path includes the parent folder, to distinguish frameworks.
    package let files: [String]

    /// Returns the classes in `names` that several images define, sorted by name.
    ///
    /// An image that is listed twice counts once.
    package static func among(_ names: Set<String>, in images: [LoadedImage]) -> [DuplicateClass] {
        names.ordered().compactMap { name in
            var paths: [String] = []
            for image in images where image.classes.contains(name) && !paths.contains(image.path) {
                paths.append(image.path)
            }
            guard paths.count > 1 else { return nil }
            return DuplicateClass(
                name: name,
                files: paths.map { $0.split(separator: "/").suffix(2).joined(separator: "/") }
            )
        }
    }
}
