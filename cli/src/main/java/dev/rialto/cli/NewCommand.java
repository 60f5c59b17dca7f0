package dev.rialto.cli;

import dev.rialto.cli.option.CommandFailure;
import dev.rialto.cli.option.ExitCode;
import dev.rialto.text.Version;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.lang.model.SourceVersion;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code rialto new}: a project that uses Rialto, ready to build, run and test. */
@Command(
    name = "new",
    description = "Make a folder with a project that uses Rialto: Maven or Gradle, Java or Kotlin.")
final class NewCommand implements Callable<Integer> {
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9]*(-[a-z0-9]+)*");
  private static final Pattern PLACE = Pattern.compile("@([a-z-]+)@");

  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "NAME",
      description = "Name of the project and its folder, such as heat-flow.")
  private String name;

  @Option(names = "--kotlin", description = "A program in Kotlin.")
  private boolean kotlin;

  @Option(names = "--gradle", description = "A build by Gradle.")
  private boolean gradle;

  @Override
  public Integer call() throws IOException {
    if (!NAME.matcher(name).matches()) {
      throw CommandFailure.usage(
          "'" + name + "' cannot name a project.",
          "Use lower-case letters, digits and single hyphens, such as heat-flow.");
    }
    if (SourceVersion.isKeyword(name)) {
      throw CommandFailure.usage(
          "'" + name + "' is a word of Java and cannot name a package.", "Choose another name.");
    }
    Path project = Path.of(name);
    if (Files.exists(project)) {
      throw CommandFailure.usage("'" + name + "' exists already.", "Choose another name.");
    }
    Map<String, String> values = values();
    String language = kotlin ? "kotlin" : "java";
    String extension = kotlin ? ".kt" : ".java";
    String inPackage = language + "/" + values.get("package") + "/";
    if (gradle) {
      write(project.resolve("build.gradle.kts"), "build.gradle.kts", values);
      write(project.resolve("settings.gradle.kts"), "settings.gradle.kts", values);
    } else {
      write(project.resolve("pom.xml"), "pom.xml", values);
    }
    write(
        project.resolve("src/main/" + inPackage + "Main" + extension), "Main" + extension, values);
    write(
        project.resolve("src/test/" + inPackage + "MainTest" + extension),
        "MainTest" + extension,
        values);
    write(project.resolve("README.md"), "README.md", values);
    Files.writeString(project.resolve(".gitignore"), gradle ? ".gradle/\nbuild/\n" : "target/\n");
    spec.commandLine()
        .getOut()
        .printf(
            "Made %s. Build and run it:%n%n    cd %s%n    %s%n    %s%n",
            name, name, values.get("build"), values.get("run"));
    return ExitCode.DONE;
  }

  private Map<String, String> values() throws IOException {
    String inPackage = name.replace("-", "");
    Map<String, String> values = new HashMap<>();
    values.put("name", name);
    values.put("version", Version.current());
    values.put("package", inPackage);
    values.put("main", inPackage + (kotlin ? ".MainKt" : ".Main"));
    values.put("tool", gradle ? "Gradle 9.1 or later" : "Maven 3.8 or later");
    values.put("build", gradle ? "gradle build" : "mvn package");
    values.put("run", gradle ? "gradle run --args='--ranks 4'" : "mvn exec:exec -Drun='--ranks 4'");
    values.put("kotlin-plugin", kotlin ? "\n    kotlin(\"jvm\") version \"2.4.0\"" : "");
    String[] parts = text("kotlin.xml").split("@kotlin-[a-z]+@", -1);
    String[] places = {"kotlin-library", "kotlin-folders", "kotlin-compiler"};
    for (int i = 0; i < places.length; i++) {
      values.put(places[i], kotlin ? parts[i + 1].stripTrailing() : "");
    }
    return values;
  }

  private static void write(Path file, String template, Map<String, String> values)
      throws IOException {
    Files.createDirectories(file.getParent());
    String content = PLACE.matcher(text(template)).replaceAll(m -> value(values, m.group(1)));
    Files.writeString(file, content);
  }

  private static String value(Map<String, String> values, String place) {
    return Matcher.quoteReplacement(values.get(place));
  }

  private static String text(String template) throws IOException {
    try (InputStream in = NewCommand.class.getResourceAsStream("project/" + template)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
