// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(ObjectiveC)
internal import Darwin
internal import ObjectiveC
#endif

/// An image of the process, and which classes of Objective-C it defines, of those that were asked for.
package struct LoadedImage: Hashable, Sendable {
    /// Its file.
    package var path: String
    /// Names of classes as the runtime has them.
    package var classes: [String]

    /// Makes an image.
    package init(path: String, classes: [String]) {
        self.path = path
        self.classes = classes
    }

    /// Whether it is the system's, which defines none of an app's classes. A simulator's system lies in a folder of its own.
    package static func isSystem(_ path: String) -> Bool {
        ["/System/", "/usr/lib/"].contains { path.hasPrefix($0) || path.contains("/RuntimeRoot\($0)") }
    }

    /// The process's images that define any of these classes, in the order in which the runtime met them; none where there is no
    /// Objective-C. Takes a millisecond or so, for the names of every class of the app's own images are compared; any thread.
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
            // A class that the runtime did not take, because it had one of that name, is listed for its image nevertheless.
            let found = UnsafeBufferPointer(start: classes, count: Int(count)).lazy.map { String(cString: $0) }
                .filter { names.contains($0) }
            return found.isEmpty ? nil : LoadedImage(path: String(cString: path), classes: Array(found))
        }
        #else
        []
        #endif
    }
}

/// A class of Objective-C that more than one image of the process defines. The runtime takes one of them, and does not say which.
package struct DuplicateClass: Hashable, Sendable {
    /// The class.
    package let name: String
    /// The files that define it, in the order of the images, each with its folder, which tells frameworks apart.
    package let files: [String]

    /// Those of `names` that several images define, in the order of their names. An image that is listed twice is one.
    package static func among(_ names: Set<String>, in images: [LoadedImage]) -> [DuplicateClass] {
        names.sorted().compactMap { name in
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
