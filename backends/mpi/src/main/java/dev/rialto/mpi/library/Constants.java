package dev.rialto.mpi.library;

/**
 * The numbers of an MPI library's header, as far as they are used here.
 *
 * @param anySource the wildcard for a source
 * @param anyTag the wildcard for a tag
 * @param undefined the color of a rank that is in no part
 * @param threadFunneled the level of thread support at which one thread may call
 * @param threadSerialized the level at which any thread may, one at a time
 * @param threadMultiple the level at which several threads may at the same time
 * @param tagUpperBound the attribute that holds the largest tag
 * @param typeShared the kind of split that puts the ranks of a node together
 * @param lockExclusive the exclusive kind of lock
 * @param lockShared the shared kind of lock
 * @param inPlace the address that stands for the receive buffer
 * @param unweighted the address that stands for no weights
 * @param truncated the class of errors of a message that is too long
 * @param outOfMemory the class of errors of memory that could not be had
 */
public record Constants(
    int anySource,
    int anyTag,
    int undefined,
    int threadFunneled,
    int threadSerialized,
    int threadMultiple,
    int tagUpperBound,
    int typeShared,
    int lockExclusive,
    int lockShared,
    long inPlace,
    long unweighted,
    int truncated,
    int outOfMemory) {}
