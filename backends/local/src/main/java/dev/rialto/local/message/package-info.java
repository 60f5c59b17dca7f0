/**
 * Messages between two ranks: rings that short ones go through, mailboxes where receives meet them,
 * and the one copy of long ones. Start with {@link dev.rialto.local.message.LocalMessages}.
 */
@NullMarked
package dev.rialto.local.message;

import org.jspecify.annotations.NullMarked;
