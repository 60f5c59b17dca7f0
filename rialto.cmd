@echo off
rem Starts Rialto from a source tree on Windows: finds a JDK, builds what is not built, runs the command line.
rem
rem   rialto COMMAND ...     see rialto --help
rem
rem Environment: RIALTO_JAVA_HOME, RIALTO_JAVA_OPTS, RIALTO_CLASSPATH, RIALTO_DEBUG, as in the script 'rialto'.
setlocal EnableExtensions DisableDelayedExpansion

set "root=%~dp0"
if "%root:~-1%"=="\" set "root=%root:~0,-1%"
set "state=%root%\.rialto"
set "required=25"

call :find_jdk
if errorlevel 1 exit /b 2

if /i "%~1"=="test" goto maven_job
if /i "%~1"=="package" goto maven_job
if /i "%~1"=="install" goto maven_job
if /i "%~1"=="format" goto maven_job
if "%~2"=="--help" goto cli
for %%j in (stress mutate release) do if /i "%~1"=="%%j" goto elsewhere

:cli
call :ensure_built
if errorlevel 1 exit /b %errorlevel%
goto run_cli

:elsewhere
echo rialto: '%~1' is a job for Linux and macOS.>&2
echo   Use WSL, where the script 'rialto' does it.>&2
exit /b 2

rem --- Jobs of Maven: their options follow the name ---------------------------------------------------
:maven_job
set "job=%~1"
set "goal=verify"
if /i "%job%"=="package" set "goal=package -Dmaven.test.skip=true"
if /i "%job%"=="install" set goal=install "-Drialto.launcher=%state%\install"
if /i "%job%"=="format" set "goal=spotless:apply -pl ."
set "maven="
set "parts="
set "options="
:next_option
shift /1
if "%~1"=="" goto options_done
if "%~1"=="--help" goto cli
if "%~1"=="--gpu" goto elsewhere
if "%~1"=="--gpu-kit" goto elsewhere
if /i "%job% %~1"=="package maven" set "maven=1" & goto next_option
if /i "%job% %~1"=="package image" set "parts=%parts% image" & goto next_option
if /i "%job% %~1"=="package site" set "parts=%parts% site" & goto next_option
set options=%options% %1
goto next_option
:options_done
call :find_maven
if errorlevel 1 exit /b 2
set "JAVA_HOME=%jdk%"
if /i "%job%"=="test" set options=%options% -T 2
call mvn -B -ntp -f "%root%\pom.xml" %goal% %options%
if errorlevel 1 exit /b 1
if /i not "%job%"=="package" exit /b 0

rem The parts of a release that are asked for; without any, all of them.
set "release=%root%\dist\target\release"
if not defined maven if not defined parts set "maven=1" & set "parts=image site"
if not defined maven goto parts
if exist "%release%\maven\" rmdir /s /q "%release%\maven"
set "repository=%release:\=/%/maven"
call mvn -B -ntp -q -f "%root%\pom.xml" -Prelease deploy -Dgpg.skip "-DaltDeploymentRepository=release::file:///%repository%" %options%
if errorlevel 1 exit /b 1
:parts
rem 'set /p' would read no more than its first thousand characters.
for /f "usebackq delims=" %%c in ("%root%\dist\target\class-path") do set "jars=%%c"
"%jdk%\bin\java.exe" -cp "%root%\dist\target\rialto-dist.jar;%jars%" dev.rialto.dist.Distribution "%root%" "%release%" %parts%
exit /b %errorlevel%

rem --- The build ---------------------------------------------------------------------------------------
rem The stamp is newer than all sources, or they are built; it holds the name of the folder of the jars.
:ensure_built
set "app="
if exist "%state%\stamp-cmd" set /p app=<"%state%\stamp-cmd"
if defined app set "app=%state%\%app%"
if not defined app goto build
if not exist "%app%\" goto build
call :newest_change
if "%changed%"=="no" exit /b 0
:build
call :find_maven
if errorlevel 1 exit /b 2
if not exist "%state%" mkdir "%state%"
echo Building Rialto ...>&2
set "name=app-%RANDOM%%RANDOM%"
set "app=%state%\%name%"
set "JAVA_HOME=%jdk%"
rem Renaming keeps the time of the file, that of the start.
>"%state%\stamp-cmd.new" echo %name%
call mvn -B -ntp -q -f "%root%\pom.xml" package "-Drialto.launcher=%app%" >"%state%\build.log" 2>&1
if errorlevel 1 (
  type "%state%\build.log" 1>&2
  echo rialto: The build failed; its output is above and in "%state%\build.log".>&2
  exit /b 1
)
move /y "%state%\stamp-cmd.new" "%state%\stamp-cmd" >nul
exit /b 0

rem PowerShell compares the times: cmd cannot.
:newest_change
set "changed=yes"
for /f %%a in ('powershell -NoProfile -Command "$t = (Get-Item '%state%\stamp-cmd').LastWriteTime; $m = ([xml](Get-Content '%root%\pom.xml')).project.modules.module | ForEach-Object { Join-Path '%root%' $_ }; if ((Get-Item '%root%\pom.xml').LastWriteTime -gt $t -or (Get-ChildItem $m -Recurse -File -Include *.java,*.cu,pom.xml | Where-Object { $_.FullName -notmatch '\\(target|test)\\' -and $_.LastWriteTime -gt $t })) { 'yes' } else { 'no' }" 2^>nul') do set "changed=%%a"
exit /b 0

rem --- The JDK -----------------------------------------------------------------------------------------
:find_jdk
set "jdk="
if defined RIALTO_JAVA_HOME (
  call :take_jdk "%RIALTO_JAVA_HOME%"
  if defined jdk exit /b 0
  goto no_jdk
)
if defined JAVA_HOME call :take_jdk "%JAVA_HOME%"
if defined jdk exit /b 0
for %%j in (java.exe) do set "java=%%~dp$PATH:j"
if defined java for %%h in ("%java%..") do call :take_jdk "%%~fh"
if defined jdk exit /b 0
for %%d in ("%ProgramFiles%\Eclipse Adoptium" "%ProgramFiles%\Java" "%ProgramFiles%\Microsoft" "%ProgramFiles%\Zulu" "%ProgramFiles%\Amazon Corretto" "%USERPROFILE%\.jdks") do (
  if exist "%%~d\" for /d %%h in ("%%~d\*") do if not defined jdk call :take_jdk "%%~h"
)
if defined jdk exit /b 0
:no_jdk
echo rialto: Rialto needs a JDK %required% or later, and none was found.>&2
echo   Install one, https://adoptium.net, and set JAVA_HOME to it.>&2
exit /b 1

rem Takes a folder as the JDK if its release file names a version that is recent enough.
:take_jdk
if not exist "%~1\bin\javac.exe" exit /b 0
if not exist "%~1\release" exit /b 0
set "found="
for /f "usebackq tokens=1,2 delims==." %%k in ("%~1\release") do if "%%k"=="JAVA_VERSION" set found=%%l
if not defined found exit /b 0
set found=%found:"=%
if %found% GEQ %required% set "jdk=%~1"
exit /b 0

:find_maven
for %%m in (mvn.cmd mvn.bat mvn.exe) do if not "%%~$PATH:m"=="" exit /b 0
echo rialto: Rialto is built with Maven 3.8 or later, and 'mvn' was not found.>&2
echo   Install it, https://maven.apache.org, and try again.>&2
exit /b 1

rem --- The command line ------------------------------------------------------------------------------
rem The launcher of an image ends with this part, too.
:run_cli
set "quick="
for %%c in (-h --help --version info doctor new completion) do if "%~1"=="%%c" set "quick=-XX:TieredStopAtLevel=1"
for %%j in ("%app%\rialto-cli-*.jar") do set "jar=%%~fj"
if defined RIALTO_CLASSPATH set "jar=%jar%;%RIALTO_CLASSPATH%"
"%jdk%\bin\java.exe" %RIALTO_JAVA_OPTS% %quick% "-Xlog:cds*=off" --add-modules jdk.incubator.vector ^
  --enable-native-access=ALL-UNNAMED --class-path "%jar%" dev.rialto.cli.Main %*
exit /b %errorlevel%
