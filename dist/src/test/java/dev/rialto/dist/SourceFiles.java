package dev.rialto.dist;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The files of a source tree without what a build leaves there: other modules may be tested at the
 * same time, and their files come and go.
 */
final class SourceFiles {
  private static final Set<String> NOT_SOURCES = Set.of("target", ".git", ".rialto");

  private SourceFiles() {}

  static List<Path> of(Path root) throws IOException {
    List<Path> files = new ArrayList<>();
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            return isLeftByABuild(folder) ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            // In a work tree of git, .git is a file.
            if (attributes.isRegularFile() && !isLeftByABuild(file)) {
              files.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return files;
  }

  private static boolean isLeftByABuild(Path path) {
    return NOT_SOURCES.contains(path.getFileName().toString());
  }
}
