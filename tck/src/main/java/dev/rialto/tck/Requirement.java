package dev.rialto.tck;

import dev.rialto.spi.Capability;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * One numbered thing that a backend must do, tested by the method that carries this: one without
 * parameters, one that is called with each of what it takes, such as a stream or an executor, or
 * the body of each rank with its communicator and, if it takes some, memory that is freed
 * afterwards.
 */
@Documented
@Repeatable(Requirement.Several.class)
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Requirement {
  /**
   * Returns the number, such as {@code MEM-001}. It is never given to another requirement, also
   * when its own is gone; those of one class count up.
   */
  String id();

  /** Returns what is required, as a sentence of the interface's specification. */
  String text();

  /**
   * Returns the capabilities it is about beside those that its class {@link Requires}. Where the
   * backend declares all of them the requirement must be met; where it does not, the operations of
   * the missing one must be refused instead. One that names a capability of communicators runs on
   * ranks.
   */
  Capability[] capability() default {};

  /**
   * Returns the names of the constants that its method is given, where one method tests several
   * requirements and takes a constant, or several, of an enum.
   */
  String[] with() default {};

  /** Returns the fewest ranks that it needs, where its method is the body of each rank. */
  int ranks() default 1;

  /** Several requirements that one method tests. */
  @Documented
  @Target(ElementType.METHOD)
  @Retention(RetentionPolicy.RUNTIME)
  @interface Several {
    /** Returns the requirements. */
    Requirement[] value();
  }
}
