// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.operation;

import io.boltwork.LockOptions;
import io.boltwork.Replication;
import io.boltwork.spring.DistributedLock;
import io.boltwork.spring.LockMode;
import io.boltwork.spring.LockRelease;
import io.boltwork.spring.LockType;
import io.boltwork.spring.OnLost;
import io.boltwork.spring.acquire.TargetType;
import io.boltwork.spring.properties.BoltworkProperties;
import io.boltwork.spring.properties.BoltworkProperties.LockOverride;
import io.boltwork.spring.properties.DurationUnits;
import io.boltwork.spring.properties.HoldProperties;
import io.boltwork.spring.properties.LockDefaults;
import io.boltwork.spring.text.LockExpressions;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.util.StringUtils;

/** Determines the options of a lock from its annotation, the properties of its group and the defaults. */
final class LockOptionsParser {
    private final LockExpressions expressions;
    private final LockDefaults defaults;

    LockOptionsParser(LockExpressions expressions, LockDefaults defaults) {
        this.expressions = expressions;
        this.defaults = defaults;
    }

    LockOptions options(Method method, DistributedLock annotation, @Nullable LockOverride override, OnLost onLost) {
        Duration minHold = override != null && override.minHold() != null
                ? override.minHold()
                : duration(method, "minHold", annotation.minHold(), defaults.minHold());
        Duration maxHold = override != null && override.maxHold() != null
                ? override.maxHold()
                : duration(method, "maxHold", annotation.maxHold(), defaults.maxHold());
        Duration takeoverDelay = override != null && override.takeoverDelay() != null
                ? override.takeoverDelay()
                : duration(method, "takeoverDelay", annotation.takeoverDelay(), defaults.takeoverDelay());
        boolean saysOrder = annotation.type() != LockType.DEFAULT && !isReadOrWrite(annotation.type());
        LockType order = saysOrder ? annotation.type() : defaults.type();
        if (override != null && override.type() != null && override.type() != BoltworkProperties.Order.DEFAULT) {
            order = override.type().lockType();
        }
        LockRelease release = annotation.release() == LockRelease.DEFAULT ? defaults.release() : annotation.release();
        if (override != null && override.release() != null && override.release() != LockRelease.DEFAULT) {
            release = override.release();
        }
        Replication replication = override != null && StringUtils.hasText(override.replication())
                ? HoldProperties.replication(
                        "boltwork.lock.names", override.replication(), override.replicationWithin())
                : replication(method, annotation);
        try {
            LockOptions options = LockDefaults.options(
                    lease(method, annotation, override), minHold, maxHold, takeoverDelay, order, release, replication);
            Duration retention = duration(method, "retention", annotation.retention(), null);
            options = retention == null ? options : checked(method, "retention", retention, options::withRetention);
            return onLost == OnLost.INTERRUPT ? options.withOnLoss(LockOptions.OnLoss.INTERRUPT) : options;
        } catch (IllegalArgumentException e) {
            throw LockExpressions.wrong(
                    method,
                    String.valueOf(e.getMessage()),
                    "Choose durations that fit together, here or in the properties.",
                    e);
        }
    }

    /** Returns the kind of the lock. The properties decide on the order of callers, and the annotation on the kind. */
    TargetType type(Method method, DistributedLock annotation, @Nullable LockOverride override) {
        LockType type = annotation.type();
        int permits = annotation.permits();
        if (permits == -1) {
            return switch (type) {
                case READ -> TargetType.READ;
                case WRITE -> TargetType.WRITE;
                case DEFAULT, REENTRANT, FAIR -> TargetType.LOCK;
            };
        }
        if (permits < 1) {
            throw LockExpressions.wrong(
                    method,
                    "permits = " + permits + ", but a semaphore has 1 permit or more",
                    "Specify the number of callers that may execute the method at a time.",
                    null);
        }
        if (isReadOrWrite(type) || type == LockType.REENTRANT) {
            throw LockExpressions.wrong(
                    method,
                    "both permits = " + permits + " and type = " + type + " are specified, but a semaphore "
                            + (isReadOrWrite(type) ? "is no read-write lock" : "is not reentrant"),
                    "Remove one of them.",
                    null);
        }
        return TargetType.semaphore(override != null && override.permits() != null ? override.permits() : permits);
    }

    private LockOptions lease(Method method, DistributedLock annotation, @Nullable LockOverride override) {
        Duration fixed = one(method, "leaseTime", annotation.leaseTime(), "lease", annotation.lease());
        Duration renewed = duration(method, "renewedLease", annotation.renewedLease(), null);
        if (fixed != null && renewed != null) {
            throw LockExpressions.wrong(
                    method,
                    "both a renewed lease (renewedLease) and a fixed lease (lease, leaseTime) are specified",
                    "Remove one of them.",
                    null);
        }
        if (override != null && override.lease() != null) {
            return LockOptions.fixedLease(override.lease());
        }
        if (override != null && override.renewedLease() != null) {
            return LockOptions.renewedLease(override.renewedLease());
        }
        if (fixed != null) {
            String attribute = annotation.lease().isEmpty() ? "leaseTime" : "lease";
            return checked(method, attribute, fixed, LockOptions::fixedLease);
        }
        if (renewed != null) {
            return checked(method, "renewedLease", renewed, LockOptions::renewedLease);
        }
        Duration standard = defaults.renewedLease();
        if (defaults.lease() != null) {
            return LockOptions.fixedLease(defaults.lease());
        }
        return standard == null ? LockOptions.defaults() : LockOptions.renewedLease(standard);
    }

    /** Applies a duration; the exception names the attribute. */
    private static LockOptions checked(
            Method method, String attribute, Duration duration, Function<Duration, LockOptions> options) {
        try {
            return options.apply(duration);
        } catch (IllegalArgumentException e) {
            throw LockExpressions.wrong(
                    method, attribute + ": " + e.getMessage(), "Choose durations in that range that fit together.", e);
        }
    }

    private @Nullable Replication replication(Method method, DistributedLock annotation) {
        String within = annotation.replicationWithin();
        if (annotation.replication().isEmpty()) {
            if (!within.isEmpty()) {
                throw LockExpressions.wrong(
                        method,
                        "replicationWithin = \"" + within + "\" without replication",
                        "Specify both: replication = \"1\", replicationWithin = \"200ms\".",
                        null);
            }
            return defaults.replication();
        }
        String where = expressions
                .resolved(method, "replication", annotation.replication())
                .strip();
        if (where.equals("none")) {
            return null;
        }
        Duration time = duration(method, "replicationWithin", within, null);
        try {
            if (time == null) {
                throw new IllegalArgumentException("replicationWithin is missing");
            }
            return where.equals("disk") ? Replication.onDisk(time) : Replication.atLeast(Integer.parseInt(where), time);
        } catch (IllegalArgumentException e) {
            throw LockExpressions.wrong(
                    method,
                    "replication = \"" + annotation.replication() + "\": " + e.getMessage(),
                    "Write replication = \"1\" for one replica or \"disk\" for the server's own disk, and"
                            + " replicationWithin = \"200ms\".",
                    e);
        }
    }

    /** Returns the maximum time to wait; {@code null} for no limit. */
    @Nullable
    Duration waiting(Method method, DistributedLock annotation, @Nullable LockOverride override, LockMode mode) {
        Duration said = one(method, "waitTime", annotation.waitTime(), "waitFor", annotation.waitFor());
        if (override != null && override.waitFor() != null) {
            said = override.waitFor();
        }
        if (said == null) {
            said = defaults.waitFor();
        }
        return said == null && mode != LockMode.LOCK ? Duration.ZERO : said;
    }

    private @Nullable Duration one(Method method, String number, long seconds, String text, String said) {
        if (seconds < -1) {
            throw LockExpressions.wrong(
                    method, number + " = " + seconds + " is negative", "Write a number of seconds, or omit it.", null);
        }
        if (seconds >= 0 && !said.isEmpty()) {
            throw LockExpressions.wrong(
                    method,
                    "both " + number + " = " + seconds + " and " + text + " = \"" + said + "\" are specified",
                    "Remove one of them.",
                    null);
        }
        return seconds >= 0 ? Duration.ofSeconds(seconds) : duration(method, text, said, null);
    }

    private @Nullable Duration duration(Method method, String attribute, String said, @Nullable Duration otherwise) {
        if (said.isEmpty()) {
            return otherwise;
        }
        String text = expressions.resolved(method, attribute, said).strip();
        try {
            if (DurationUnits.isNumber(text)) {
                throw new IllegalArgumentException("'" + text + "' has no unit");
            }
            Duration duration = DurationStyle.detectAndParse(text);
            if (duration.isNegative()) {
                throw new IllegalArgumentException("'" + text + "' is negative");
            }
            return duration;
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw LockExpressions.wrong(
                    method,
                    attribute + " = \"" + said + "\" is not a duration: " + e.getMessage(),
                    "Write a duration such as 500ms, 30s, 5m or PT30S.",
                    e);
        }
    }

    private static boolean isReadOrWrite(LockType type) {
        return type == LockType.READ || type == LockType.WRITE;
    }
}
