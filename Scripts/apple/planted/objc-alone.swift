// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
// ios macos: used without importing module 'Foundation'

import ObjectiveC

@objc final class Alone: NSObject {}
