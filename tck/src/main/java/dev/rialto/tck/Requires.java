package dev.rialto.tck;

import dev.rialto.spi.Capability;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The capabilities that every {@link Requirement} of a class is about, before its own. */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface Requires {
  /** Returns the capabilities. */
  Capability[] value();
}
