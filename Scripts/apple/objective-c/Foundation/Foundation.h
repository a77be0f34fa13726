// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The part of Foundation that the Objective-C samples from vendors' documents use, as Apple documents it.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef bool BOOL;
#define YES ((BOOL)1)
#define NO ((BOOL)0)
#define nil ((id)0)
#ifndef TRUE
#define TRUE 1
#define FALSE 0
#endif
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

@interface NSString : NSObject <NSCopying>
@end

@interface NSData : NSObject
@end

@interface NSURL : NSObject
+ (instancetype)URLWithString:(NSString *)string;
@end

@interface NSError : NSObject
@property(readonly, copy) NSString *localizedDescription;
@end

@interface NSValue : NSObject <NSCopying>
@end

@interface NSNumber : NSValue
+ (NSNumber *)numberWithInt:(int)value;
+ (NSNumber *)numberWithDouble:(double)value;
+ (NSNumber *)numberWithBool:(BOOL)value;
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

@interface NSDictionary<__covariant KeyType, __covariant ObjectType> : NSObject
+ (instancetype)dictionaryWithObjects:(const ObjectType[])objects forKeys:(const KeyType<NSCopying>[])keys count:(NSUInteger)count;
@end

@interface NSSet<__covariant ObjectType> : NSObject
+ (instancetype)setWithArray:(NSArray<ObjectType> *)array;
@end

@interface NSIndexPath : NSObject
@end

extern void NSLog(NSString *format, ...) __attribute__((format(NSString, 1, 2)));
