/**
 * The machine below Rialto: its operating system, processor, libraries and files, and the classes
 * and processes of its JVM. It knows nothing of backends.
 */
module dev.rialto.system {
  requires java.management;
  requires static transitive org.jspecify;

  exports dev.rialto.system;
  exports dev.rialto.system.files;
}
