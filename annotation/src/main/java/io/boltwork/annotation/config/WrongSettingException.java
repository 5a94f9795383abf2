// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.config;

import io.boltwork.spi.Printable;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A setting that cannot work. The message names it, and contains no value that may be a secret. */
public final class WrongSettingException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private static final Pattern SECRET = Pattern.compile("\\.(uri|sentinel-username|sentinel-password)(\\[\\d+])?$");

    private WrongSettingException(String message) {
        super(Printable.text(message));
    }

    static WrongSettingException invalid(String setting, @Nullable Object value, String reason) {
        boolean hidden = value == null || SECRET.matcher(setting).find();
        return new WrongSettingException(setting + (hidden ? ": " : " = '" + value + "': ") + reason);
    }

    static WrongSettingException wrong(String setting, String problem, String action) {
        return new WrongSettingException(setting + ": " + problem + " " + action);
    }
}
