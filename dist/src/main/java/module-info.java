/** Makes what people download: artifacts, the self-contained image, the site. */
module dev.rialto.dist {
  requires static org.jspecify;
  requires dev.rialto.spi;
  requires dev.rialto.text;
  requires java.xml;
  requires jdk.javadoc;
  requires jdk.jdeps;
  requires jdk.jlink;
  requires org.commonmark;
  requires org.commonmark.ext.gfm.tables;
  requires org.commonmark.ext.heading.anchor;
}
