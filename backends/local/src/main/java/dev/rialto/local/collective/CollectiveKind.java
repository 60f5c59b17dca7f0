package dev.rialto.local.collective;

/** The collective operations. */
public enum CollectiveKind {
  BARRIER("barrier"),
  EXCHANGE("exchange"),
  FENCE("fence"),
  CLOSE_WINDOW("close"),
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
  NEIGHBOR_ALL_GATHER("neighborAllGather"),
  NEIGHBOR_ALL_GATHER_V("neighborAllGatherV"),
  NEIGHBOR_ALL_TO_ALL("neighborAllToAll"),
  NEIGHBOR_ALL_TO_ALL_V("neighborAllToAllV");

  /** The method's name. */
  final String method;

  CollectiveKind(String method) {
    this.method = method;
  }

  /** Does one rank's share of an operation of this kind, when all it depends on have arrived. */
  void share(CollectiveOperation mine) {
    switch (this) {
      case BARRIER, FENCE, CLOSE_WINDOW -> {}
      case EXCHANGE -> Moves.exchange(mine);
      case BROADCAST -> Moves.broadcast(mine);
      case GATHER, GATHER_V -> Moves.gather(mine);
      case SCATTER, SCATTER_V -> Moves.scatter(mine);
      case ALL_GATHER, ALL_GATHER_V -> Moves.allGather(mine);
      case ALL_TO_ALL, ALL_TO_ALL_V -> Moves.allToAll(mine);
      case REDUCE -> Folds.reduce(mine);
      case ALL_REDUCE -> Folds.allReduce(mine);
      case SCAN -> Folds.scan(mine);
      case EXSCAN -> Folds.exscan(mine);
      case REDUCE_SCATTER -> Folds.reduceScatter(mine);
      case NEIGHBOR_ALL_GATHER, NEIGHBOR_ALL_GATHER_V -> Moves.neighborAllGather(mine);
      case NEIGHBOR_ALL_TO_ALL, NEIGHBOR_ALL_TO_ALL_V -> Moves.neighborAllToAll(mine);
    }
  }
}
