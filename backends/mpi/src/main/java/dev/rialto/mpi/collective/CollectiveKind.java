package dev.rialto.mpi.collective;

/** The operations that all ranks of a communicator call together. */
public enum CollectiveKind {
  BARRIER("barrier"),
  BROADCAST("broadcast"),
  GATHER("gather"),
  GATHER_V("gatherV"),
  SCATTER("scatter"),
  SCATTER_V("scatterV"),
  ALL_GATHER("allGather"),
  ALL_GATHER_V("allGatherV"),
  ALL_TO_ALL("allToAll"),
  ALL_TO_ALL_V("allToAllV"),
  REDUCE("reduce"),
  ALL_REDUCE("allReduce"),
  SCAN("scan"),
  EXSCAN("exscan"),
  REDUCE_SCATTER("reduceScatter"),
  PERSISTENT_ALL_TO_ALL("prepared allToAll"),
  PERSISTENT_ALL_TO_ALL_V("prepared allToAllV"),
  NEIGHBOR_ALL_GATHER("neighborAllGather"),
  NEIGHBOR_ALL_GATHER_V("neighborAllGatherV"),
  NEIGHBOR_ALL_TO_ALL("neighborAllToAll"),
  NEIGHBOR_ALL_TO_ALL_V("neighborAllToAllV"),
  PERSISTENT_NEIGHBOR_ALL_TO_ALL_V("persistentNeighborAllToAllV"),
  DUP("dup"),
  SPLIT("split"),
  SPLIT_BY_NODE("splitByNode"),
  TOPOLOGY("topology"),
  WINDOW("window"),
  ALLOCATE_WINDOW("allocateWindow"),
  SHARED_WINDOW("sharedWindow"),
  DYNAMIC_WINDOW("dynamicWindow"),
  FENCE("fence of window"),
  CLOSE_WINDOW("close of window"),
  CLOSE_WORLD("the close of the world");

  private final String label;

  CollectiveKind(String label) {
    this.label = label;
  }

  /** Returns whether it closes something, so that the caller may be on its way out. */
  public boolean closes() {
    return this == CLOSE_WINDOW;
  }

  @Override
  public String toString() {
    return label;
  }
}
