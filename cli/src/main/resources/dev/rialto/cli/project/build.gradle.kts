plugins {
    application@kotlin-plugin@
}

repositories {
    mavenLocal()
    mavenCentral()
}

dependencies {
    implementation("dev.rialto:rialto:@version@")
    testImplementation("org.junit.jupiter:junit-jupiter:6.1.3")
    testRuntimeOnly("org.junit.platform:junit-platform-launcher:6.1.3")
}

java {
    toolchain {
        languageVersion = JavaLanguageVersion.of(25)
    }
}

// Calls of native libraries, and the processor's vectors.
val jvmOptions = listOf("--enable-native-access=ALL-UNNAMED", "--add-modules", "jdk.incubator.vector")

application {
    mainClass = "@main@"
    applicationDefaultJvmArgs = jvmOptions
}

tasks.test {
    useJUnitPlatform()
    jvmArgs(jvmOptions)
}
