// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// As much of Foundation as Objective-C samples of documents call, as Apple documents it.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef bool BOOL;
#define YES ((BOOL)1)
#define NO ((BOOL)0)
#define nil ((id)0)
#define NS_NOESCAPE __attribute__((noescape))
typedef long NSInteger;
typedef unsigned long NSUInteger;
typedef double NSTimeInterval;

@class NSString;

@protocol NSObject
- (BOOL)isEqual:(id)object;
@property(readonly) NSUInteger hash;
@property(readonly, copy) NSString *description;
@end

@protocol NSCopying
@end

__attribute__((objc_root_class))
@interface NSObject <NSObject>
+ (instancetype)new;
+ (instancetype)alloc;
- (instancetype)init;
@end

@interface NSString : NSObject
@end

@interface NSValue : NSObject
@end

@interface NSNumber : NSValue
@end

@interface NSCoder : NSObject
@end

@interface NSDate : NSObject
+ (instancetype)date;
- (NSTimeInterval)timeIntervalSinceDate:(NSDate *)anotherDate;
@end

@interface NSUUID : NSObject
+ (instancetype)UUID;
@end

@interface NSArray<__covariant ObjectType> : NSObject
+ (instancetype)arrayWithObjects:(const ObjectType[])objects count:(NSUInteger)count;
@end

@interface NSSet<__covariant ObjectType> : NSObject
+ (instancetype)setWithArray:(NSArray<ObjectType> *)array;
@end

@interface NSIndexPath : NSObject
@end

extern void NSLog(NSString *format, ...) __attribute__((format(NSString, 1, 2)));
